import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { LedgerEvents } from '../../../shared/contracts/ledger-events.js';
import { problem } from '../../../shared/errors/problem.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { actingIn, type ChangeDocumentDeps, changeDocument } from './change-document.js';
import { type KeepHeldDeps, refuseLessHeld } from './keep-held.js';
import type { StoredDocument } from './ports/document-store.js';

/** Events that one document may be attached to. */
export const MAX_EVENTS = 1_000;

export interface AttachDeps extends ChangeDocumentDeps, WorkDeps, KeepHeldDeps {
  readonly ledgerEvents: LedgerEvents;
}

/** Attaches a document to an event; where it is attached already nothing changes. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT */
export async function attachDocument(
  deps: AttachDeps,
  context: RequestContext,
  documentId: string,
  eventId: string,
): Promise<StoredDocument> {
  const tenantId = authorise(context, 'documents:write');
  if (!(await deps.ledgerEvents.known(tenantId, [eventId])).has(eventId)) throw problem('NOT_FOUND');
  return changeDocument(deps, tenantId, documentId, {
    action: 'attach',
    acting: actingIn(context),
    ids: forWork(deps, context, 'attach-document').ids,
    changes: ({ event_ids }) => {
      if (event_ids.includes(eventId)) return null;
      if (event_ids.length < MAX_EVENTS) return { event_ids: [...event_ids, eventId] };
      throw problem('CONFLICT', { message: `A document is attached to ${MAX_EVENTS} events at most.` });
    },
    about: { event_id: eventId },
  });
}

/**
 * Takes a document off an event. @throws NOT_FOUND when it is not attached to it, INVALID_TRANSITION; LEGAL_HOLD_ACTIVE where a hold
 * covers the document by this event alone
 */
export async function detachDocument(
  deps: AttachDeps,
  context: RequestContext,
  documentId: string,
  eventId: string,
): Promise<StoredDocument> {
  const tenantId = authorise(context, 'documents:write');
  return changeDocument(deps, tenantId, documentId, {
    action: 'detach',
    acting: actingIn(context),
    ids: forWork(deps, context, 'detach-document').ids,
    changes: async (standing) => {
      if (!standing.event_ids.includes(eventId)) throw problem('NOT_FOUND');
      const event_ids = standing.event_ids.filter((id) => id !== eventId);
      await refuseLessHeld(deps, tenantId, standing, { ...standing, event_ids });
      return { event_ids };
    },
    about: { event_id: eventId },
  });
}
