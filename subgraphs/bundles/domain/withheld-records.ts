import { WITHHELD_REASONS, type WithheldReason } from '../../../shared/consent/verdict.js';
import type { Withheld } from '../../../shared/consent/withheld.js';
import type { ManifestConsent } from '../../../shared/evidence/bundle/manifest.js';

/** What consent keeps out of a bundle, by id. */
export interface WithheldRecords {
  readonly events: ReadonlyMap<string, WithheldReason>;
  readonly documents: ReadonlyMap<string, WithheldReason>;
}

/** What the manifest tells of it: counts by reason. */
export function manifestConsent(purpose: string, { events, documents }: WithheldRecords): ManifestConsent {
  const [ofEvents, ofDocuments] = [[...events.values()], [...documents.values()]];
  const withheld = WITHHELD_REASONS.map((reason) => ({
    reason,
    events: ofEvents.filter((each) => each === reason).length,
    documents: ofDocuments.filter((each) => each === reason).length,
  }));
  return { purpose, withheld: withheld.filter((row) => row.events + row.documents > 0) };
}

/** What the record of the bundle tells of it, as other answers do; null where nothing is withheld. */
export function withheldIn({ events, documents }: WithheldRecords): Withheld | null {
  const reasons = new Set([...events.values(), ...documents.values()]);
  const reason = WITHHELD_REASONS.find((each) => reasons.has(each));
  return reason === undefined ? null : { count: events.size + documents.size, reason };
}
