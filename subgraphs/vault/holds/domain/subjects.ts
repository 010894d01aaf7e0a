import type { DisposalCandidate } from '../../../../shared/contracts/disposal.js';
import type { HoldSubject } from '../../../../shared/contracts/holds.js';
import { documentTimeMs } from '../../documents/domain.js';

// The subjects of holds, derived from events and documents.

export interface EventSubject extends HoldSubject {
  readonly kind: 'EVENT';
  readonly event: DisposalCandidate;
}

export const eventSubject = (event: DisposalCandidate): EventSubject => ({
  kind: 'EVENT',
  id: event.event_id,
  event,
  facts: {
    member_ids: event.member_id === null ? [] : [event.member_id],
    source_system: event.source_system,
    event_families: [event.event_family],
    at_ms: event.effective_at_ms,
  },
});

/** The members of a document that holds depend on. */
export interface HeldDocument {
  readonly document_id: string;
  readonly member_ids: readonly string[];
  readonly event_ids: readonly string[];
  readonly source_system: string | null;
  readonly matter_id: string | null;
  readonly effective_at: Date | null;
  readonly created_at: Date;
}

export interface DocumentSubject<D extends HeldDocument = HeldDocument> extends HoldSubject {
  readonly kind: 'DOCUMENT';
  readonly document: D;
  /** True if one of its events is lost or damaged: which holds cover the document is then unknown. */
  readonly uncertain: boolean;
}

/**
 * Combines a document with its events. Their members and families count as the document's own.
 * If one of the events is unreadable, its family is unknown, and a hold over families still covers the document.
 *
 * @param events those that are proven, by id; null for one that is disposed of
 */
export function documentSubject<D extends HeldDocument>(
  document: D,
  events: ReadonlyMap<string, DisposalCandidate | null>,
): DocumentSubject<D> {
  const attached = document.event_ids.flatMap((id) => events.get(id) ?? []);
  const members = [...document.member_ids, ...attached.flatMap(({ member_id }) => member_id ?? [])];
  const families = attached.map(({ event_family }) => event_family);
  return {
    kind: 'DOCUMENT',
    id: document.document_id,
    document,
    uncertain: document.event_ids.some((id) => !events.has(id)),
    facts: {
      member_ids: [...new Set(members)],
      event_ids: document.event_ids,
      at_ms: documentTimeMs(document),
      ...(document.source_system === null ? {} : { source_system: document.source_system }),
      ...(document.matter_id === null ? {} : { matter_id: document.matter_id }),
      ...(attached.length < document.event_ids.length ? {} : { event_families: families }),
    },
  };
}
