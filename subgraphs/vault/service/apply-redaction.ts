import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { LedgerDisposal } from '../../../shared/contracts/disposal.js';
import type { EventRedactionOrder } from '../../../shared/contracts/redactions.js';
import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { custodyActorOf, custodyEffect } from '../../../shared/custody/custody-entry.js';
import { problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork } from '../../../shared/ids/work.js';
import { ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import type { WormStore } from '../../../shared/worm/worm-store.js';
import { withoutTerms } from '../domain/find-terms.js';
import { type RedactionTarget, redactableType, targetsTogether } from '../domain/redaction.js';
import { changeRedaction, personOf, type RedactionDeps, redactionPayload } from './change-redaction.js';
import { judgeDocument, judgeEvent, redactableDocument } from './judge-redaction.js';
import type { DocumentRedactor } from './ports/document-redactor.js';
import type { StoredDocument } from './ports/document-store.js';
import type { StoredRedaction } from './ports/redaction-store.js';
import type { VaultEffect } from './ports/vault-effects.js';
import { standingSubjects } from './subjects-of.js';

export interface ApplyDeps extends RedactionDeps {
  readonly documentRedactor: DocumentRedactor;
  readonly worm: WormStore;
  readonly tenants: TenantDirectory;
  readonly ledgerDisposal: LedgerDisposal;
  /** Whoever applies is another than those who drafted. */
  readonly needsTwoPeople: boolean;
  /** Larger documents are not redacted. */
  readonly maxDocumentBytes: number;
}

/** Plain text is written anew in UTF-8, whatever it came in. */
const RENDITION_TYPES = { 'text/plain': 'text/plain; charset=utf-8', 'application/pdf': 'application/pdf' } as const;

/** What applying came to, beside the record. */
interface Rendered {
  readonly sha256: string;
  readonly size: number;
  readonly memberIds: readonly string[];
  /** Who is to give the rendition out from now on. */
  readonly effect: (effectId: string) => VaultEffect;
  /** Of a document's original. */
  readonly originalSha256: string | null;
}

/**
 * Makes the rendition of a draft and gives it to readers without `documents:unredacted` from now on. The record is the
 * commit point: the rendition is kept before, what readers get follows from it as pending effects.
 *
 * @throws NOT_FOUND, FORBIDDEN for who drafted it, INVALID_TRANSITION, UNAVAILABLE while it is applied but not yet followed
 */
export async function applyRedaction(
  deps: ApplyDeps,
  context: RequestContext,
  redactionId: string,
): Promise<StoredRedaction> {
  const step = { redactionId, action: 'apply', scope: 'redactions:apply' } as const;
  const applied = await changeRedaction(deps, context, step, async (standing, _at, tenantId) => {
    if (deps.needsTwoPeople) refuseOnePerson(context, standing);
    const before = await deps.redactions(tenantId).applied(standing.subject);
    const ordinal = before.length + 1;
    const rendered =
      standing.subject.kind === 'EVENT'
        ? await renderEvent(deps, tenantId, standing, before, ordinal)
        : await renderDocument(deps, tenantId, standing, before, ordinal);
    return {
      members: {
        ordinal,
        applied_by: personOf(context),
        applied_at: _at,
        rendition_sha256: rendered.sha256,
        rendition_size: rendered.size,
        original_sha256: rendered.originalSha256,
      },
      effects: (at) => effectsOf(deps, context, standing, rendered, { ordinal, at }),
    };
  });
  if (await deps.redactions(applied.tenant_id).isSettled(redactionId)) return applied;
  throw problem('UNAVAILABLE', {
    message: 'The redaction is applied, and readers will get the rendition in a moment; read it again.',
    retryAfterSeconds: 5,
  });
}

/** Whoever drafted a redaction or changed it may not be the one who applies it. */
function refuseOnePerson(context: RequestContext, { history }: StoredRedaction): void {
  const drafters = history.map(({ actor_id, by }) => actor_id ?? by);
  if (!drafters.includes(personOf(context))) return;
  throw problem('FORBIDDEN', { message: 'Another person than those who drafted the redaction must apply it.' });
}

async function renderEvent(
  deps: ApplyDeps,
  tenantId: TenantId,
  standing: StoredRedaction,
  before: readonly StoredRedaction[],
  ordinal: number,
): Promise<Rendered> {
  const event_id = standing.subject.id;
  const target = targetsTogether([...before, standing]);
  const { leaves, member_id } = await judgeEvent(deps, tenantId, event_id, target);
  const order: EventRedactionOrder = { event_id, redaction_id: standing.redaction_id, ordinal, pointers: leaves };
  const { line } = await deps.eventRedactor.render(tenantId, order);
  const bytes = Buffer.from(line);
  return {
    sha256: await keep(deps, tenantId, standing, bytes),
    size: bytes.length,
    // Custody is read by keys that do not get the member any more.
    memberIds: member_id === null || leaves.includes('/member_id') ? [] : [member_id],
    effect: (id) => ({ id, kind: 'hide-event', tenant_id: tenantId, order }),
    originalSha256: null,
  };
}

async function renderDocument(
  deps: ApplyDeps,
  tenantId: TenantId,
  standing: StoredRedaction,
  before: readonly StoredRedaction[],
  ordinal: number,
): Promise<Rendered> {
  const document = await redactableDocument(deps, tenantId, standing.subject.id);
  const target: RedactionTarget = targetsTogether([...before, standing]);
  judgeDocument(document, target);
  const mediaType = redactableType(document.media_type);
  if (mediaType === undefined) throw problem('UNSUPPORTED_MEDIA_TYPE');
  if (document.size > deps.maxDocumentBytes) {
    throw problem('CONFLICT', { message: `Documents over ${deps.maxDocumentBytes} bytes are not redacted.` });
  }
  const worm = await wormOf(deps, tenantId);
  const blocks: Buffer[] = [];
  for await (const block of worm.readBlob(document.sha256)) blocks.push(block);
  const { terms, pages } = target;
  const bytes = await deps.documentRedactor.redact({ mediaType, bytes: Buffer.concat(blocks), terms, pages });
  const sha256 = await keep(deps, tenantId, standing, bytes);
  const rendition = {
    redaction_id: standing.redaction_id,
    sha256,
    size: bytes.length,
    media_type: RENDITION_TYPES[mediaType],
    ...namesWithout(document, terms),
  };
  return {
    sha256,
    size: bytes.length,
    memberIds: document.member_ids,
    effect: (id) => ({
      id,
      kind: 'set-rendition',
      tenant_id: tenantId,
      document_id: document.document_id,
      ordinal,
      rendition,
    }),
    originalSha256: document.sha256,
  };
}

/** Names mostly repeat what the document is about: a term that is hidden in it does not stand in them either. */
const namesWithout = ({ filename, title, tags }: StoredDocument, terms: readonly string[]) => ({
  filename: withoutTerms(filename, terms).text,
  title: title === null ? null : withoutTerms(title, terms).text,
  tags: tags.map((tag) => withoutTerms(tag, terms).text),
});

async function wormOf({ tenants, worm }: ApplyDeps, tenantId: TenantId) {
  const tenant = await tenants.find(tenantId);
  if (!tenant) throw problem('NOT_FOUND');
  return worm.forTenant({ tenantId, logId: tenant.log_id });
}

/**
 * Stores a rendition. It is noted before, and the subject looked at after that: a disposal either is seen here, or sees the
 * note, and then nothing of the subject outlives it, whatever comes of this request. @throws DISPOSED
 */
async function keep(
  deps: ApplyDeps,
  tenantId: TenantId,
  { redaction_id, subject }: StoredRedaction,
  bytes: Uint8Array,
): Promise<string> {
  const sha256 = sha256Hex(bytes);
  await deps.redactions(tenantId).noteStored(redaction_id, sha256, new Date(deps.clock.nowMs()));
  if ((await standingSubjects(deps, tenantId, [subject])).size === 0) throw problem('DISPOSED');
  await (await wormOf(deps, tenantId)).putBlob(oneChunk(bytes), bytes.length);
  return sha256;
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** In order: what readers get first, then the ledger's own word that it was done, then custody. */
function effectsOf(
  deps: ApplyDeps,
  context: RequestContext,
  { redaction_id, subject, tenant_id, revision }: StoredRedaction,
  rendered: Rendered,
  { ordinal, at }: { readonly ordinal: number; readonly at: Date },
): readonly VaultEffect[] {
  const { ids } = forWork(deps, context, 'apply-redaction-effects');
  const time = isoTime(at.getTime());
  const facts = { redaction_id, ordinal, rendition_sha256: rendered.sha256 };
  return [
    rendered.effect(ids.next('effect')),
    ledgerEntryEffect(ids, {
      tenant_id,
      source_system: '_system',
      entry: {
        event_family: 'redaction',
        event_type: 'redaction.applied',
        event_effective_timestamp: time,
        // No hash of the original: without salt, it would let hidden words be guessed.
        payload: { ...redactionPayload({ redaction_id, subject, revision }), ...facts },
      },
    }),
    custodyEffect(ids, tenant_id, {
      action: 'REDACT',
      subject,
      member_ids: rendered.memberIds,
      actor: custodyActorOf(context),
      at: time,
      request_id: context.requestId,
      sha256_after: rendered.sha256,
      detail: facts,
    }),
  ];
}
