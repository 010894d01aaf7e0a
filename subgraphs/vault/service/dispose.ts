import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { CustodySubject } from '../../../shared/contracts/custody.js';
import type { LedgerDisposal } from '../../../shared/contracts/disposal.js';
import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { custodyEffect } from '../../../shared/custody/custody-entry.js';
import { problem } from '../../../shared/errors/problem.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { CLAIM_LIFE_MS } from '../../../shared/worm/blob-removal.js';
import type { KeptWormStore } from '../../../shared/worm/worm-store.js';
import type { WormUpkeep } from '../../../shared/worm/worm-upkeep.js';
import { type BlobHolder, type BlobRole, isHeldBySomebody } from './blob-holders.js';
import { ACTING_BY_ITSELF, changeDocument } from './change-document.js';
import type { DocumentStore } from './ports/document-store.js';
import type { DisposedDocument, StoredDisposal, TenantDisposalRows } from './ports/retention-store.js';
import type { StoredRendition, StoredRenditions } from './ports/stored-renditions.js';
import type { VaultEffect } from './ports/vault-effects.js';
import { standingSubjects } from './subjects-of.js';

export interface DisposeDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly documents: DocumentStore;
  readonly ledgerDisposal: LedgerDisposal;
  readonly worm: KeptWormStore;
  readonly tenants: TenantDirectory;
  readonly blobHolders: readonly BlobHolder[];
  readonly renditions: (tenantId: TenantId) => StoredRenditions;
  readonly disposals: (tenantId: TenantId) => TenantDisposalRows;
  /** Takes what was made of these documents (their texts) away. */
  readonly forgetDocuments: (tenantId: TenantId, documentIds: readonly string[]) => Promise<void>;
}

/**
 * Ends a disposal that the gate has let through: entry and rows in the ledger, documents, bodies that serve nobody any more,
 * and the certificate. Each step changes nothing when it is done again, by this process or another.
 */
export async function finishDisposal(deps: DisposeDeps, tenantId: TenantId, disposalId: string): Promise<void> {
  const disposals = deps.disposals(tenantId);
  const disposal = await disposals.get(disposalId);
  // None: it was prepared by a process that slept for a day. Further on: another ended it.
  if (disposal?.status !== 'PREPARED') return;
  const { events, documents, policies } = disposal;
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
  if (await disposals.markDisposed(disposalId, at, pending)) await disposals.relay(disposalId, pending);
}

/** The certificate's date is that of the order: it is the same whoever ends it. */
async function disposeDocument(
  deps: DisposeDeps,
  { tenant_id, disposal_id, at }: StoredDisposal,
  { document_id }: DisposedDocument,
): Promise<void> {
  const standing = await deps.documents(tenant_id).get(document_id);
  if (standing === null || standing.status === 'DISPOSED') return;
  try {
    await changeDocument(deps, tenant_id, document_id, {
      action: 'dispose',
      acting: ACTING_BY_ITSELF,
      ids: deps.ids,
      changes: () => ({}),
      about: { disposal_id, at: isoTime(at.getTime()) },
    });
  } catch (error) {
    // Another who ends the same disposal was first.
    if ((await deps.documents(tenant_id).get(document_id))?.status !== 'DISPOSED') throw error;
  }
}

/**
 * Takes away the bodies that nobody needs any more. @returns whether none is left of this disposal's own: what somebody has
 * stored anew of late, or may be storing, is looked at again by the next sweep.
 */
async function dropContents(
  deps: Pick<DisposeDeps, 'clock' | 'worm' | 'tenants' | 'blobHolders' | 'renditions'>,
  { tenant_id, events, documents }: StoredDisposal,
): Promise<boolean> {
  const contents = new Map<string, BlobRole>(
    documents.flatMap(({ sha256s }) => sha256s.map((sha256) => [sha256, 'CONTENT'] as const)),
  );
  // A rendition says all that was not hidden, also one that a later redaction has replaced.
  const renditions = await deps
    .renditions(tenant_id)
    .of([...events.map(({ event_id }) => event_id), ...documents.map(({ document_id }) => document_id)]);
  for (const { sha256 } of renditions) contents.set(sha256, 'CONTENT');
  for (const { raw_sha256 } of events) if (raw_sha256 !== null) contents.set(raw_sha256, 'RAW');
  if (contents.size === 0) return true;
  const upkeep = await upkeepOf(deps, tenant_id);
  let left = renditions.filter((rendition) => isOnItsWay(deps.clock, rendition)).length;
  for (const [sha256, role] of contents) {
    const isNeeded = () => isHeldBySomebody(deps.blobHolders, tenant_id, sha256, role);
    if (!(await upkeep.dropBlob(sha256, isNeeded)) && !(await isNeeded())) left++;
  }
  return left === 0;
}

/** Noted so shortly ago that its bytes may still come. */
const isOnItsWay = (clock: Clock, { noted_at }: StoredRendition): boolean =>
  noted_at.getTime() > clock.nowMs() - CLAIM_LIFE_MS;

export async function upkeepOf(
  { worm, tenants }: Pick<DisposeDeps, 'worm' | 'tenants'>,
  tenantId: TenantId,
): Promise<WormUpkeep> {
  const tenant = await tenants.find(tenantId);
  if (!tenant) throw problem('NOT_FOUND', { message: 'No such tenant.' });
  return worm.upkeepOf({ tenantId, logId: tenant.log_id });
}

/**
 * The certificate in custody: one when the content went, and a second one when the last copy of it went, with both dates. Of two
 * who end a disposal one leaves it behind: it is part of the write that marks the disposal.
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
    actor: ACTING_BY_ITSELF.custody,
    at: isoTime(at.getTime()),
    detail: {
      disposal_id,
      stage,
      // Unreadable at once; what no copy is left of any more is disposed of (evidence.md section 2 "Disposed").
      state: stage === 'GONE' ? 'DISPOSED' : 'DISPOSAL_PENDING',
      policies: [...policies],
      disposed_at: isoTime((disposed_at ?? at).getTime()),
      ...(stage === 'GONE' ? { copies_gone_at: isoTime(at.getTime()) } : {}),
    },
  });
}

/** Of disposals whose content nobody can read: those whose last write-once copy is gone as well. @returns how many. */
export async function settleCopies(
  deps: Pick<DisposeDeps, 'clock' | 'ids' | 'disposals' | 'worm' | 'tenants' | 'blobHolders' | 'renditions'>,
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
      const copies = disposal.events.flatMap(({ worm_sha256 }) => worm_sha256 ?? []);
      if ((await worm.presentRecords(copies)).size > 0 || !(await dropContents(deps, disposal))) continue;
      const at = new Date(deps.clock.nowMs());
      const pending = [certificate(deps.ids, disposal, 'GONE', at)];
      if (!(await disposals.markGone(disposal.disposal_id, at, pending))) continue;
      await disposals.relay(disposal.disposal_id, pending);
      gone++;
    }
    if (batch.length < 100) return gone;
  }
}

/**
 * Takes away renditions of what was disposed of while they were made, or whose redaction a crash has kept from being applied:
 * no disposal has met them.
 */
export async function dropRenditions(
  deps: Omit<DisposeDeps, 'disposals' | 'forgetDocuments' | 'ids'>,
  tenantId: TenantId,
): Promise<void> {
  const renditions = deps.renditions(tenantId);
  const upkeep = await upkeepOf(deps, tenantId);
  for await (const batch of renditions.all()) {
    const subjects = batch.map(({ subject }) => subject);
    const standing = await standingSubjects(deps, tenantId, subjects);
    for (const rendition of batch) {
      if (standing.has(rendition.subject.id) || isOnItsWay(deps.clock, rendition)) continue;
      const { sha256 } = rendition;
      const isNeeded = () => isHeldBySomebody(deps.blobHolders, tenantId, sha256, 'CONTENT');
      const gone = await upkeep.dropBlob(sha256, isNeeded);
      // What others need is theirs from now on.
      if (gone || (await isNeeded())) await renditions.forget(rendition);
    }
  }
}
