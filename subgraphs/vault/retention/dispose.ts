import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { CustodySubject } from '../../../shared/contracts/custody.js';
import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { custodyEffect } from '../../../shared/custody/custody-entry.js';
import { problem } from '../../../shared/errors/problem.js';
import { type Ids, isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { isIntegrityFailure } from '../../../shared/records/sound-rows.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { CLAIM_LIFE_MS } from '../../../shared/worm/blobs/removal.js';
import type { KeptWormStore } from '../../../shared/worm/worm-store.js';
import type { WormUpkeep } from '../../../shared/worm/worm-upkeep.js';
import type { VaultEffect } from '../documents/index.js';
import { serviceDocumentSteps, statesOfSubjects, VAULT_SERVICE } from '../documents/index.js';
import type { StoredRendition, StoredRenditions } from '../redactions/index.js';
import { type BlobHolder, type BlobRole, isNeeded } from './blob-holders.js';
import { type JudgeDeps, judgeOrder } from './judge-order.js';
import type { DisposedDocument, StoredDisposal, TenantDisposalRows } from './ports.js';
import { decidedOrder, type OrderDeps, requireNoOrder, requireProvenOrder } from './proven-orders.js';

export interface DisposeDeps extends Omit<JudgeDeps, 'keeps'> {
  readonly ids: Ids;
  readonly logger: Logger;
  readonly worm: KeptWormStore;
  readonly tenants: TenantDirectory;
  readonly blobHolders: readonly BlobHolder[];
  readonly renditions: (tenantId: TenantId) => StoredRenditions;
  readonly disposals: (tenantId: TenantId) => TenantDisposalRows;
  /** Deletes data derived from these documents (their texts). */
  readonly forgetDocuments: (tenantId: TenantId, documentIds: readonly string[]) => Promise<void>;
}

/**
 * Completes a disposal that has passed the gate: the fact of the order, ledger entry and rows, documents, unneeded
 * contents, and the certificate. Neither the row nor its permit proves that anything may go: the first process to come
 * judges the records again, and its fact fixes what goes.
 * Each step is idempotent, in this process or another.
 */
export async function finishDisposal(
  deps: DisposeDeps & Pick<JudgeDeps, 'keeps'>,
  tenantId: TenantId,
  disposalId: string,
): Promise<void> {
  // The service has written no such order.
  if (!isIdOf('disposal', disposalId)) return;
  const disposals = deps.disposals(tenantId);
  const prepared = await disposals.get(disposalId);
  // Absent if its process slept for a day before the gate.
  if (prepared === null) return requireNoOrder(deps, tenantId, disposalId);
  // Another status means that another process has completed it.
  if (prepared.status !== 'PREPARED') return;
  const disposal = await decidedOrder(deps, prepared, () => judgeOrder(deps, prepared));
  const isRefused = disposal.events.length + disposal.documents.length === 0;
  await disposals.decide(disposalId, { ...decidedPart(disposal), status: isRefused ? 'REFUSED' : 'PREPARED' });
  if (isRefused) return deps.logger.warn({ disposal_id: disposalId }, 'a prepared disposal was refused');
  await carryOut(deps, disposal);
}

const decidedPart = ({ at, policies, events, documents, contents, fact }: StoredDisposal) => ({
  at,
  policies,
  events,
  documents,
  contents,
  fact,
});

/** @param disposal as its fact fixes it */
async function carryOut(deps: DisposeDeps, disposal: StoredDisposal): Promise<void> {
  const { tenant_id: tenantId, disposal_id: disposalId, events, documents, policies } = disposal;
  if (events.length > 0) {
    const places = events.map(({ event_id, source_system, sequence }) => ({ event_id, source_system, sequence }));
    const at = isoTime(disposal.at.getTime());
    await deps.ledgerDisposal.dispose(tenantId, { disposal_id: disposalId, at, policies, events: places });
  }
  for (const document of documents) await disposeDocument(deps, disposal, document);
  await deps.forgetDocuments(
    tenantId,
    documents.map(({ document_id }) => document_id),
  );
  await dropContents(deps, disposal);
  const at = new Date(deps.clock.nowMs());
  const pending = [certificate(deps.ids, disposal, 'DISPOSED', at)];
  await deps.disposals(tenantId).markAs('DISPOSED', disposalId, at, pending);
}

/** The date of the certificate is that of the order, whichever process completes it. */
async function disposeDocument(
  deps: DisposeDeps,
  { tenant_id, disposal_id, at }: StoredDisposal,
  { document_id }: DisposedDocument,
): Promise<void> {
  const steps = serviceDocumentSteps(deps, tenant_id);
  if ((await steps.rows.get(document_id)) === null) return;
  // Another process may complete the same disposal first.
  await steps.take(document_id, ({ status }) => (status === 'DISPOSED' ? null : 'dispose'), {
    line: { about: { disposal_id, at: isoTime(at.getTime()) } },
  });
}

/**
 * Deletes the contents that no holder needs any more.
 *
 * @returns whether no content of this disposal is left; recently stored content is checked again by the next sweep
 */
async function dropContents(
  deps: Pick<DisposeDeps, 'clock' | 'worm' | 'tenants' | 'blobHolders' | 'renditions'>,
  { tenant_id, events, documents }: StoredDisposal,
): Promise<boolean> {
  const contents = new Map<string, BlobRole>(
    documents.flatMap(({ sha256s }) => sha256s.map((sha256) => [sha256, 'CONTENT'] as const)),
  );
  // A rendition shows everything that is not hidden, also one that a later redaction has replaced.
  const renditions = await deps
    .renditions(tenant_id)
    .of([...events.map(({ event_id }) => event_id), ...documents.map(({ document_id }) => document_id)]);
  for (const { sha256 } of renditions) contents.set(sha256, 'CONTENT');
  for (const { raw_sha256 } of events) if (raw_sha256 !== null) contents.set(raw_sha256, 'RAW');
  if (contents.size === 0) return true;
  const upkeep = await upkeepOf(deps, tenant_id);
  let left = renditions.filter((rendition) => mayStillArrive(deps.clock, rendition)).length;
  for (const [sha256, role] of contents) {
    const stillNeeded = () => isNeeded(deps.blobHolders, tenant_id, sha256, role);
    if (!(await upkeep.dropBlob(sha256, stillNeeded)) && !(await stillNeeded())) left++;
  }
  return left === 0;
}

/** Noted so recently that its bytes may still arrive. */
const mayStillArrive = (clock: Clock, { noted_at }: StoredRendition): boolean =>
  noted_at.getTime() > clock.nowMs() - CLAIM_LIFE_MS;

async function upkeepOf(
  { worm, tenants }: Pick<DisposeDeps, 'worm' | 'tenants'>,
  tenantId: TenantId,
): Promise<WormUpkeep> {
  const tenant = await tenants.find(tenantId);
  if (!tenant) throw problem('NOT_FOUND', { message: 'No such tenant.' });
  return worm.upkeepOf({ tenantId, logId: tenant.log_id });
}

/**
 * Custody certificates: one when the content went, and a second one, with both dates, when the last copy went.
 * The write that marks the disposal contains the certificate, so that of two processes only one leaves it.
 */
function certificate(ids: Ids, disposal: StoredDisposal, stage: 'DISPOSED' | 'GONE', at: Date): VaultEffect {
  const { disposal_id, tenant_id, events, documents, policies, disposed_at } = disposal;
  const subjects: CustodySubject[] = [
    ...events.map(({ event_id }) => ({ kind: 'EVENT' as const, id: event_id })),
    ...documents.map(({ document_id }) => ({ kind: 'DOCUMENT' as const, id: document_id })),
  ];
  const [subject = { kind: 'EVENT' as const, id: disposal_id }, ...rest] = subjects;
  const members = [
    ...events.flatMap(({ member_id }) => member_id ?? []),
    ...documents.flatMap(({ member_ids }) => member_ids),
  ];
  return custodyEffect(ids, tenant_id, {
    action: 'DISPOSE',
    subject,
    subjects: rest,
    member_ids: [...new Set(members)],
    actor: { type: 'SERVICE', id: VAULT_SERVICE },
    at: isoTime(at.getTime()),
    detail: {
      disposal_id,
      stage,
      // Unreadable at once; without any copy it is disposed of (evidence.md section 2 "Disposed").
      state: stage === 'GONE' ? 'DISPOSED' : 'DISPOSAL_PENDING',
      policies: [...policies],
      disposed_at: isoTime((disposed_at ?? at).getTime()),
      ...(stage === 'GONE' ? { copies_gone_at: isoTime(at.getTime()) } : {}),
    },
  });
}

/** One damaged order must not stop the others; its exception is open. */
async function isProven(deps: OrderDeps, disposal: StoredDisposal): Promise<boolean> {
  try {
    await requireProvenOrder(deps, disposal);
    return true;
  } catch (error) {
    if (!isIntegrityFailure(error)) throw error;
    return false;
  }
}

/**
 * Counts the records that a sweep or an erasure has disposed of, by the facts of its orders.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function countDisposed(
  deps: OrderDeps & Pick<DisposeDeps, 'disposals'>,
  tenantId: TenantId,
  sweepId: string,
): Promise<{ readonly events: number; readonly documents: number }> {
  const counts = { events: 0, documents: 0 };
  for (const disposal of await deps.disposals(tenantId).ofSweep(sweepId)) {
    await requireProvenOrder(deps, disposal);
    counts.events += disposal.events.length;
    counts.documents += disposal.documents.length;
  }
  return counts;
}

/**
 * Finishes disposals after their last write-once copy is gone.
 *
 * @returns their number
 */
export async function settleCopies(
  deps: OrderDeps & Pick<DisposeDeps, 'ids' | 'disposals' | 'worm' | 'tenants' | 'blobHolders' | 'renditions'>,
  tenantId: TenantId,
): Promise<number> {
  const tenant = await deps.tenants.find(tenantId);
  if (!tenant) return 0;
  const worm = deps.worm.forTenant({ tenantId, logId: tenant.log_id });
  const disposals = deps.disposals(tenantId);
  let gone = 0;
  for (let after: string | null = null; ; ) {
    const batch: readonly StoredDisposal[] = await disposals.pending(after, 100);
    for (const disposal of batch) {
      after = disposal.disposal_id;
      if (!(await isProven(deps, disposal))) continue;
      const copies = disposal.events.flatMap(({ worm_sha256 }) => worm_sha256 ?? []);
      if ((await worm.presentRecords(copies)).size > 0 || !(await dropContents(deps, disposal))) continue;
      const at = new Date(deps.clock.nowMs());
      const pending = [certificate(deps.ids, disposal, 'GONE', at)];
      if (await disposals.markAs('GONE', disposal.disposal_id, at, pending)) gone++;
    }
    if (batch.length < 100) return gone;
  }
}

/**
 * Deletes renditions that no disposal has seen: their subject was disposed of during rendering, or a crash interrupted
 * the redaction.
 */
export async function dropRenditions(
  deps: Pick<DisposeDeps, 'clock' | 'documents' | 'ledgerDisposal' | 'worm' | 'tenants' | 'blobHolders' | 'renditions'>,
  tenantId: TenantId,
): Promise<void> {
  const renditions = deps.renditions(tenantId);
  const upkeep = await upkeepOf(deps, tenantId);
  for await (const batch of renditions.all()) {
    const subjects = batch.map(({ subject }) => subject);
    const { disposed } = await statesOfSubjects(deps, tenantId, subjects);
    for (const rendition of batch) {
      if (!disposed.has(rendition.subject.id) || mayStillArrive(deps.clock, rendition)) continue;
      const { sha256 } = rendition;
      const stillNeeded = () => isNeeded(deps.blobHolders, tenantId, sha256, 'CONTENT');
      const gone = await upkeep.dropBlob(sha256, stillNeeded);
      // Other holders are responsible for it from now on.
      if (gone || (await stillNeeded())) await renditions.forget(rendition);
    }
  }
}
