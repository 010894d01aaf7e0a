import type { DisposalCandidate } from '../../../shared/contracts/disposal.js';
import type { HoldSubject } from '../../../shared/contracts/holds.js';
import { documentFreeAtMs, isDocumentPastAge, type RetentionRules } from './retention.js';

// What holds are compared with, read off events and documents.

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

/** A document, as far as holds look at it. */
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
}

/**
 * A document with the events that it is attached to: their members and families are its own as well. Where one of them cannot
 * be read any more, its family is not known, and no hold over families leaves the document out.
 */
export function documentSubject<D extends HeldDocument>(
  document: D,
  events: ReadonlyMap<string, DisposalCandidate>,
): DocumentSubject<D> {
  const attached = document.event_ids.flatMap((id) => events.get(id) ?? []);
  const members = [...document.member_ids, ...attached.flatMap(({ member_id }) => member_id ?? [])];
  const families = attached.map(({ event_family }) => event_family);
  return {
    kind: 'DOCUMENT',
    id: document.document_id,
    document,
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

/** When it happened, as far as it says; else when it came. */
export const documentTimeMs = ({
  effective_at,
  created_at,
}: Pick<HeldDocument, 'effective_at' | 'created_at'>): number => (effective_at ?? created_at).getTime();

type AgingDocument = Pick<HeldDocument, 'effective_at' | 'created_at'> & { readonly document_type: string | null };

const agesOf = (document: AgingDocument) => ({
  document_type: document.document_type,
  effectiveMs: documentTimeMs(document),
  createdMs: document.created_at.getTime(),
});

export const isAgedDocument = (rules: RetentionRules, document: AgingDocument, nowMs: number): boolean =>
  isDocumentPastAge(rules, agesOf(document), nowMs);

/** See documentFreeAtMs. */
export const documentAgedAtMs = (rules: RetentionRules, document: AgingDocument): number =>
  documentFreeAtMs(rules, agesOf(document));
