import type { RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { CustodyActor } from '../../../shared/contracts/custody.js';
import { custodyActorOf } from '../../../shared/custody/custody-entry.js';
import { problem } from '../../../shared/errors/problem.js';
import { type Ids, isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { DOCUMENT_MACHINE, type DocumentAction } from '../domain/document-states.js';
import type { DocumentStore, DocumentWrite, StoredDocument } from './ports/document-store.js';
import type { ExpectTextEffect, VaultEffect } from './ports/vault-effects.js';

const MAX_ATTEMPTS = 5;

export interface ChangeDocumentDeps {
  readonly documents: DocumentStore;
  readonly clock: Clock;
}

/** Who takes a step: a key in a request, or the service by itself. */
export interface Acting {
  readonly by: string;
  readonly actor_id: string | null;
  readonly work_id: string | null;
  readonly request_id: string | null;
  readonly custody: CustodyActor;
}

export const actingIn = (context: RequestContext): Acting => ({
  by: context.principal.keyId,
  actor_id: context.principal.actorId,
  work_id: context.workId,
  request_id: context.requestId,
  custody: custodyActorOf(context),
});

const SERVICE = 'service:vault';
export const ACTING_BY_ITSELF: Acting = {
  by: SERVICE,
  actor_id: null,
  work_id: null,
  request_id: null,
  custody: { type: 'SERVICE', id: SERVICE },
};

type Members = Omit<StoredDocument, 'history'>;

export interface DocumentStep {
  readonly action: DocumentAction;
  readonly acting: Acting;
  /** Where the effects of this step get their ids: of the request's work, so that a repeat makes the same. */
  readonly ids: Pick<Ids, 'next'>;
  /** What changes beside the status; null: nothing is left to do, and nothing is written. */
  readonly changes: (standing: StoredDocument) => Partial<Members> | null | Promise<Partial<Members> | null>;
  /** What follows beside the entries that the state table names. */
  readonly effects?: (document: Members, at: Date) => readonly VaultEffect[];
  /** What the step is about: an event, a redaction, a certificate. */
  readonly about?: JsonObject;
}

/** One step of the state table: read, ask the table, write on the revision that was read. @throws NOT_FOUND, INVALID_TRANSITION */
export async function changeDocument(
  deps: ChangeDocumentDeps,
  tenantId: TenantId,
  documentId: string,
  step: DocumentStep,
): Promise<StoredDocument> {
  const documents = deps.documents(tenantId);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = isIdOf('document', documentId) ? await documents.get(documentId) : null;
    if (standing === null) throw problem('NOT_FOUND');
    if (isDoneBy(standing, step)) return standing;
    const changes = await step.changes(standing);
    const { to } = transition(DOCUMENT_MACHINE, standing.status, step.action);
    if (changes === null) return standing;
    const { history: _, ...before } = standing;
    const at = new Date(deps.clock.nowMs());
    const document = { ...before, ...changes, status: to, revision: standing.revision + 1, updated_at: at };
    const write = writeOf(standing, document, step, at);
    const stored = await documents.replace(write, standing.revision);
    if (stored === null) continue;
    await documents.relay(write);
    return stored;
  }
  throw problem('CONFLICT', { message: 'The document is being changed by others; read it and try again.' });
}

/** Steps after which a content that was not readable before may be read. */
const READABLE_BY: ReadonlySet<DocumentAction> = new Set(['upload', 'pass-scan', 'release', 'redact']);

/** The words of what readers get are read for the search: of the original once no scan is awaited, and of each rendition. */
function expectedText(ids: Pick<Ids, 'next'>, document: Members, action: DocumentAction): readonly ExpectTextEffect[] {
  if (!READABLE_BY.has(action) || document.status !== 'AVAILABLE' || document.scan.status === 'PENDING') return [];
  const { tenant_id, document_id, created_at } = document;
  const { sha256, size, media_type } = (action === 'redact' ? document.rendition : null) ?? document;
  const source = { tenant_id, document_id, sha256, size, media_type };
  return [{ id: ids.next('effect'), kind: 'expect-text', source, at: isoTime(created_at.getTime()) }];
}

/** The same request, run again after its answer was lost. */
const isDoneBy = ({ history }: StoredDocument, { acting, action }: DocumentStep): boolean =>
  acting.work_id !== null && history.some((entry) => entry.work_id === acting.work_id && entry.action === action);

/** A step and what follows from it, as one write. @param standing null where the step makes the document. */
export function writeOf(
  standing: StoredDocument | null,
  document: Members,
  step: Pick<DocumentStep, 'action' | 'acting' | 'ids' | 'effects' | 'about'>,
  at: Date,
): DocumentWrite {
  const { action, acting, ids, about } = step;
  const row = transition(DOCUMENT_MACHINE, standing?.status ?? null, action);
  const entries = row.emits.map((eventType) =>
    ledgerEntryEffect(ids, {
      tenant_id: document.tenant_id,
      source_system: '_records',
      entry: {
        event_family: 'document',
        event_type: eventType,
        event_effective_timestamp: isoTime(at.getTime()),
        outcome: row.to,
        payload: {
          document_id: document.document_id,
          action,
          from: row.from,
          to: row.to,
          revision: document.revision,
          by: acting.by,
          ...(acting.actor_id === null ? {} : { actor_id: acting.actor_id }),
          ...(about === undefined ? {} : { about }),
        },
      },
    }),
  );
  const { by, actor_id, work_id } = acting;
  const change = { revision: document.revision, action, from: row.from, to: row.to, at, by, actor_id, work_id };
  return {
    document,
    change: about === undefined ? change : { ...change, about },
    pending: [...entries, ...(step.effects?.(document, at) ?? []), ...expectedText(ids, document, action)],
  };
}
