import type { RequestContext } from '../../../shared/auth/context.js';
import { requireFreshSignIn } from '../../../shared/auth/step-up.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { LedgerDisposal } from '../../../shared/contracts/disposal.js';
import type { EventRedactionOrder } from '../../../shared/contracts/redactions.js';
import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { custodyActorOf, custodyEffect } from '../../../shared/custody/custody-entry.js';
import { problem } from '../../../shared/errors/problem.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { WormStore } from '../../../shared/worm/worm-store.js';
import { redactableType, withoutTerms } from '../content/domain.js';
import type { DocumentRedactor } from '../content/index.js';
import type { StoredDocument, VaultEffect } from '../documents/index.js';
import { statesOfSubjects } from '../documents/index.js';
import { personOf, type RedactionDeps, redactionSteps } from './change-redaction.js';
import { checkDocument, checkEvent, redactableDocument } from './check-target.js';
import { type RedactionTarget, targetsTogether } from './domain.js';
import type { StoredRedaction } from './ports.js';

export interface ApplyDeps extends RedactionDeps {
  readonly documentRedactor: DocumentRedactor;
  readonly worm: WormStore;
  readonly tenants: TenantDirectory;
  readonly ledgerDisposal: LedgerDisposal;
  /** Whether the person who applies must differ from those who drafted. */
  readonly needsTwoPeople: boolean;
  /** Largest document that is redacted, in bytes. */
  readonly maxDocumentBytes: number;
}

/** Media types of renditions; plain text is converted to UTF-8. */
const RENDITION_TYPES = {
  'text/plain': 'text/plain; charset=utf-8',
  'application/pdf': 'application/pdf',
  'image/png': 'image/png',
  'image/jpeg': 'image/jpeg',
} as const;

/** A rendition that is not stored yet. */
interface Rendition {
  readonly bytes: Uint8Array;
  readonly memberIds: readonly string[];
  /** What readers get, for the record of the redaction. */
  readonly members: (stored: StoredContent) => Pick<StoredRedaction, 'hides' | 'rendition'>;
  /** Hash of the original of a document. */
  readonly originalSha256: string | null;
}

interface StoredContent {
  readonly ordinal: number;
  readonly sha256: string;
  readonly size: number;
}

/**
 * Makes the rendition of a draft, which readers without `documents:unredacted` get from now on.
 * The record is the commit point: the rendition is stored before, and pending effects switch the readers.
 *
 * @param revision of the draft that the reviewer has read; absent for any.
 * @throws NOT_FOUND, FORBIDDEN for a drafter, STEP_UP_REQUIRED, CONFLICT for a draft that has changed, INVALID_TRANSITION, UNAVAILABLE while readers are not switched yet
 */
export async function applyRedaction(
  deps: ApplyDeps,
  context: RequestContext,
  redactionId: string,
  revision?: number,
): Promise<StoredRedaction> {
  requireFreshSignIn(context, deps.clock);
  let rendered: (Rendition & StoredContent) | undefined;
  const steps = redactionSteps(deps, context, 'redactions:apply');
  const applied = await steps.take(redactionId, 'apply', {
    revision,
    change: async (draft, at) => {
      if (deps.needsTwoPeople) rejectDrafter(context, draft);
      const before = await deps.redactions(draft.tenant_id).applied(draft.subject);
      rendered = await render(deps, draft, before);
      return {
        ordinal: rendered.ordinal,
        applied_by: personOf(context),
        applied_at: at,
        rendition_sha256: rendered.sha256,
        rendition_size: rendered.size,
        original_sha256: rendered.originalSha256,
        ...rendered.members(rendered),
      };
    },
    pending: (entries, { before, at, ids }) =>
      rendered && before ? [...effectsOf(ids, context, before, rendered, at), ...entries] : entries,
  });
  if (await deps.redactions(applied.tenant_id).isSettled(redactionId)) return applied;
  throw problem('UNAVAILABLE', {
    message: 'The redaction is applied, and readers will get the rendition shortly; read it again.',
    retryAfterSeconds: 5,
  });
}

/** Drafters may not apply their redaction. */
function rejectDrafter(context: RequestContext, { history }: StoredRedaction): void {
  const drafters = history.map(({ actor_id, by }) => actor_id ?? by);
  if (!drafters.includes(personOf(context))) return;
  throw problem('FORBIDDEN', { message: 'A drafter of the redaction cannot apply it; another person must.' });
}

/** Makes and stores the rendition of everything that this draft and the applied redactions hide. */
async function render(
  deps: ApplyDeps,
  draft: StoredRedaction,
  applied: readonly StoredRedaction[],
): Promise<Rendition & StoredContent> {
  const ordinal = applied.length + 1;
  const renderKind = draft.subject.kind === 'EVENT' ? renderEvent : renderDocument;
  const rendition = await renderKind(deps, draft, targetsTogether([...applied, draft]), ordinal);
  const sha256 = await storeRendition(deps, draft, rendition.bytes);
  return { ...rendition, ordinal, sha256, size: rendition.bytes.length };
}

async function renderEvent(
  deps: ApplyDeps,
  { tenant_id, redaction_id, subject: { id: event_id } }: StoredRedaction,
  target: RedactionTarget,
  ordinal: number,
): Promise<Rendition> {
  const { leaves, member_id } = await checkEvent(deps, tenant_id, event_id, target);
  const order: EventRedactionOrder = { event_id, redaction_id, ordinal, pointers: leaves };
  const { line } = await deps.eventRedactor.render(tenant_id, order);
  return {
    bytes: Buffer.from(line),
    // Custody is visible to keys that no longer see the member.
    memberIds: member_id === null || leaves.includes('/member_id') ? [] : [member_id],
    members: () => ({ hides: leaves }),
    originalSha256: null,
  };
}

async function renderDocument(
  deps: ApplyDeps,
  { tenant_id, redaction_id, subject }: StoredRedaction,
  target: RedactionTarget,
): Promise<Rendition> {
  const document = await redactableDocument(deps, tenant_id, subject.id);
  checkDocument(document, target);
  const mediaType = redactableType(document.media_type);
  if (mediaType === undefined) throw problem('UNSUPPORTED_MEDIA_TYPE');
  if (document.size > deps.maxDocumentBytes) {
    throw problem('CONFLICT', { message: `Documents larger than ${deps.maxDocumentBytes} bytes cannot be redacted.` });
  }
  const worm = await wormOf(deps, tenant_id);
  const blocks: Buffer[] = [];
  for await (const block of worm.readBlob(document.sha256)) blocks.push(block);
  const { terms, pages } = target;
  const media_type = RENDITION_TYPES[mediaType];
  return {
    bytes: await deps.documentRedactor.redact({ mediaType, bytes: Buffer.concat(blocks), terms, pages }),
    memberIds: document.member_ids,
    members: ({ sha256, size }) => ({
      rendition: { redaction_id, sha256, size, media_type, ...namesWithout(document, terms) },
    }),
    originalSha256: document.sha256,
  };
}

/** Names often repeat the content: hidden terms are removed from them too. */
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
 * Stores a rendition.
 * Notes it first, then checks the subject. So a concurrent disposal is either seen here, or sees the note, and nothing
 * of the subject outlives it.
 *
 * @throws DISPOSED, INTEGRITY_FAILURE
 */
async function storeRendition(
  deps: ApplyDeps,
  { tenant_id, redaction_id, subject }: StoredRedaction,
  bytes: Uint8Array,
): Promise<string> {
  const sha256 = sha256Hex(bytes);
  await deps.redactions(tenant_id).noteStored(redaction_id, sha256, new Date(deps.clock.nowMs()));
  const { disposed, undisposed } = await statesOfSubjects(deps, tenant_id, [subject]);
  if (disposed.has(subject.id)) throw problem('DISPOSED');
  // Lost is not disposed of.
  if (!undisposed.has(subject.id))
    throw problem('INTEGRITY_FAILURE', { internal: 'the subject of a redaction is lost' });
  await (await wormOf(deps, tenant_id)).putBlob(oneChunk(bytes), bytes.length);
  return sha256;
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** In order: the switch of readers (its fact is the entry `redaction.applied`) and custody. */
function effectsOf(
  ids: Ids,
  context: RequestContext,
  redaction: StoredRedaction,
  rendered: Rendition & StoredContent,
  at: Date,
): readonly VaultEffect[] {
  const { redaction_id, subject, tenant_id } = redaction;
  const time = isoTime(at.getTime());
  const facts = { redaction_id, ordinal: rendered.ordinal, rendition_sha256: rendered.sha256 };
  return [
    { id: ids.next('effect'), kind: 'switch-readers', tenant_id, redaction_id },
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
