import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { LedgerEvents } from '../../../shared/contracts/event-reads.js';
import { problem } from '../../../shared/errors/problem.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { WorkDeps } from '../../../shared/ids/work.js';
import { platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import type { Records } from '../../../shared/records/records.js';
import {
  type PendingOf,
  type RecordKind,
  RecordSteps,
  type StepTaken,
  serviceTaker,
  stepsOf,
} from '../../../shared/records/steps.js';
import { DOCUMENT_MACHINE, type DocumentAction, MAX_EVENTS } from './domain.js';
import type { DocumentScan, DocumentStore, ExpectTextEffect, StoredDocument, VaultEffect } from './ports.js';

export interface ChangeDocumentDeps {
  readonly documents: DocumentStore;
  readonly clock: Clock;
}

/** Author of the steps that no request takes. */
export const VAULT_SERVICE = 'service:vault';

type Taken = StepTaken<StoredDocument>;

const DOCUMENT: RecordKind<StoredDocument, 'document_id', VaultEffect> = {
  machine: DOCUMENT_MACHINE,
  idKind: 'document',
  id: 'document_id',
  noun: 'document',
  family: 'document',
  payload: ({ document_id }, step, { about }) => ({ document_id, ...step, ...(about === undefined ? {} : { about }) }),
  pending: (_, taken) => expectedText(taken),
  facts: true,
  reason: ({ review }, action) => (action === 'release' || action === 'reject' ? review?.reason : undefined),
};

/** The effects of a step that has further ones besides the extraction of its text. */
export const withEffects =
  (effects: (taken: Taken) => readonly VaultEffect[]): PendingOf<StoredDocument, VaultEffect> =>
  (_, taken) => [...effects(taken), ...expectedText(taken)];

/** Steps of a tenant's documents as a request takes them. */
export const documentSteps = (deps: ChangeDocumentDeps & WorkDeps, context: RequestContext, tenantId: TenantId) =>
  stepsOf(DOCUMENT, deps, context, deps.documents(tenantId));

/** Steps that the service takes by itself. */
export const serviceDocumentSteps = (
  { documents, clock, ids }: ChangeDocumentDeps & { readonly ids: Ids },
  tenantId: TenantId,
) => documentStepsOn({ clock, ids }, documents(tenantId));

/** Steps of one row by the service, for the store of documents itself. */
export const documentStepsOn = (deps: Pick<ChangeDocumentDeps, 'clock'> & { readonly ids: Ids }, rows: DocumentRows) =>
  new RecordSteps(DOCUMENT, { clock: deps.clock, taker: serviceTaker(deps.ids, VAULT_SERVICE), rows });

type DocumentRows = Records<StoredDocument, VaultEffect>;

/** Steps that can make a content readable. */
const READABLE_BY: ReadonlySet<DocumentAction> = new Set(['upload', 'pass-scan', 'release', 'redact']);

/** Queues readable content for text extraction: the original once it is scanned, and each rendition. */
function expectedText({ after, action, ids }: Taken): readonly ExpectTextEffect[] {
  if (!READABLE_BY.has(action) || after.status !== 'AVAILABLE' || after.scan.status === 'PENDING') return [];
  const { tenant_id, document_id, created_at } = after;
  const { sha256, size, media_type } = (action === 'redact' ? after.rendition : null) ?? after;
  const source = { tenant_id, document_id, sha256, size, media_type };
  return [{ id: ids.next('effect'), kind: 'expect-text', source, at: isoTime(created_at.getTime()) }];
}

export const codesOf = ({ findings }: DocumentScan): string[] => [...new Set(findings.map(({ code }) => code))];

/** Effects of a quarantine: a platform event, and an exception for review. */
export function quarantineEffects({ after, at, ids }: Taken): readonly VaultEffect[] {
  const { tenant_id, document_id, scan } = after;
  const data = { document_id, at: isoTime(at.getTime()) };
  const detail = { engine: scan.engine, findings: codesOf(scan) };
  return [
    platformEventEffect(ids, { tenant_id, type: 'document.quarantined', at: data.at, data }),
    {
      id: ids.next('effect'),
      kind: 'open-exception',
      tenant_id,
      exception: { kind: 'DOCUMENT_QUARANTINED', subject: { document_id }, detail },
    },
  ];
}

export interface AttachDeps extends ChangeDocumentDeps, WorkDeps {
  readonly ledgerEvents: LedgerEvents;
  /** Rejects a change after which an active hold no longer covers the document. @throws LEGAL_HOLD_ACTIVE */
  readonly refuseLessHeld: (tenantId: TenantId, before: StoredDocument, after: StoredDocument) => Promise<void>;
}

/**
 * Attaches a document to an event; does nothing if it is attached.
 *
 * @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT
 */
export async function attachDocument(
  deps: AttachDeps,
  context: RequestContext,
  documentId: string,
  event_id: string,
): Promise<StoredDocument> {
  const tenantId = authorise(context, 'documents:write');
  if (!(await deps.ledgerEvents.known(tenantId, [event_id])).has(event_id)) throw problem('NOT_FOUND');
  return documentSteps(deps, context, tenantId).take(documentId, 'attach', {
    line: { about: { event_id } },
    change: ({ event_ids }) => {
      if (event_ids.includes(event_id)) return null;
      if (event_ids.length < MAX_EVENTS) return { event_ids: [...event_ids, event_id] };
      throw problem('CONFLICT', { message: `A document has at most ${MAX_EVENTS} events; upload it again for more.` });
    },
  });
}

/**
 * Detaches a document from an event.
 *
 * @throws NOT_FOUND if it is not attached, INVALID_TRANSITION
 * @throws LEGAL_HOLD_ACTIVE if a hold covers the document only through this event
 */
export async function detachDocument(
  deps: AttachDeps,
  context: RequestContext,
  documentId: string,
  event_id: string,
): Promise<StoredDocument> {
  const tenantId = authorise(context, 'documents:write');
  return documentSteps(deps, context, tenantId).take(documentId, 'detach', {
    line: { about: { event_id } },
    change: async (before) => {
      if (!before.event_ids.includes(event_id)) throw problem('NOT_FOUND');
      const event_ids = before.event_ids.filter((id) => id !== event_id);
      await deps.refuseLessHeld(tenantId, before, { ...before, event_ids });
      return { event_ids };
    },
  });
}
