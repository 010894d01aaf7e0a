import { isoTime } from '../../../../shared/clock/clock.js';
import { WITHHELD_REASONS, type WithheldReason } from '../../../../shared/consent/verdict.js';
import type { Withheld } from '../../../../shared/consent/withheld.js';
import type { DocumentFacts } from '../../../../shared/contracts/documents.js';
import type { ChainEntry } from '../../../../shared/contracts/ledger-records.js';
import type { LedgerAnchoring } from '../../../../shared/contracts/ledger-verification.js';
import type {
  ManifestAnchoring,
  ManifestConsent,
  ManifestDocument,
} from '../../../../shared/evidence/bundle/manifest.js';

/**
 * Returns the manifest line of a document. A document without available content is listed with its state, never left
 * out.
 */
export function manifestDocument(
  facts: DocumentFacts,
  referencedBy: readonly string[],
  scopeMembers: readonly string[],
): ManifestDocument {
  const { document_id, sha256, size, media_type, rendition } = facts;
  const referenced_by = [...new Set(referencedBy)].sort();
  const as = { document_id, size, media_type, referenced_by };
  if (facts.status === 'DISPOSED') return { ...as, sha256: null, state: 'DISPOSED' };
  if (facts.status !== 'AVAILABLE' || facts.scan.status === 'FLAGGED') return { ...as, sha256, state: 'QUARANTINED' };
  const described = descriptionOf(facts, scopeMembers);
  if (rendition === null) return { ...as, ...described, sha256, state: 'INCLUDED' };
  const shown = { sha256: rendition.sha256, size: rendition.size, media_type: rendition.media_type };
  return { ...as, ...described, ...shown, state: 'REDACTED' };
}

/** Members outside of the scope stay unnamed. */
function descriptionOf(
  { filename, rendition, source_system, member_ids, effective_at, created_at }: DocumentFacts,
  scopeMembers: readonly string[],
): Partial<ManifestDocument> {
  const scope = new Set(scopeMembers);
  const inScope = member_ids.filter((id) => scope.has(id));
  return {
    filename: rendition?.filename ?? filename,
    ...(source_system === null ? {} : { source_system }),
    ...(inScope.length === 0 ? {} : { member_ids: inScope }),
    ...(effective_at === null ? {} : { effective_at }),
    created_at,
  };
}

/** Returns what held the ledger to its history, with times in milliseconds. A caller's own note is in no bundle. */
export function manifestAnchoring({ anchors, unanchored }: LedgerAnchoring): ManifestAnchoring {
  const at = (time: string): string => isoTime(Date.parse(time));
  return {
    anchors: anchors.flatMap(({ kind, ...anchor }) =>
      kind === 'CALLER' ? [] : [{ kind, ...anchor, at: at(anchor.at) }],
    ),
    unanchored: { ...unanchored, since: unanchored.since === null ? null : at(unanchored.since) },
  };
}

/** Returns the contents that get an archive entry, each once, in order of first use. */
export function documentContents(
  documents: readonly ManifestDocument[],
): readonly { readonly sha256: string; readonly size: number }[] {
  const contents = new Map<string, { readonly sha256: string; readonly size: number }>();
  for (const { sha256, size, state } of documents) {
    if (sha256 === null || (state !== 'INCLUDED' && state !== 'REDACTED')) continue;
    if (!contents.has(sha256)) contents.set(sha256, { sha256, size });
  }
  return [...contents.values()];
}

/** The records that consent withholds from a bundle, by id. */
export interface WithheldRecords {
  readonly events: ReadonlyMap<string, WithheldReason>;
  readonly documents: ReadonlyMap<string, WithheldReason>;
}

/** Returns the counts by reason for the manifest. */
export function manifestConsent(purpose: string, { events, documents }: WithheldRecords): ManifestConsent {
  const [ofEvents, ofDocuments] = [[...events.values()], [...documents.values()]];
  const withheld = WITHHELD_REASONS.map((reason) => ({
    reason,
    events: ofEvents.filter((each) => each === reason).length,
    documents: ofDocuments.filter((each) => each === reason).length,
  }));
  return { purpose, withheld: withheld.filter((row) => row.events + row.documents > 0) };
}

/** Returns the summary for the bundle record, or null if nothing is withheld. */
export function withheldIn({ events, documents }: WithheldRecords): Withheld | null {
  const reasons = new Set([...events.values(), ...documents.values()]);
  const reason = WITHHELD_REASONS.find((each) => reasons.has(each));
  return reason === undefined ? null : { count: events.size + documents.size, reason };
}

/** Subject types that are records, and subject to consent. */
const RECORDS: ReadonlySet<string | null> = new Set(['EVENT', 'DOCUMENT', 'RAW']);

/**
 * Filters the acts for a bundle with a stated purpose.
 * Acts found by events of the bundle stay unless they name a withheld record. Acts found by a member or a hold also
 * name records outside the bundle, for which consent was not checked.
 *
 * @param byEvents acts found by the bundle's events
 * @param others acts found by its documents, members and holds
 */
export function disclosedActs(
  byEvents: readonly ChainEntry[],
  others: readonly ChainEntry[],
  { events, documents }: WithheldRecords,
  shownDocuments: ReadonlySet<string>,
): readonly ChainEntry[] {
  const namesWithheld = ({ subject_id }: ChainEntry): boolean => events.has(subject_id) || documents.has(subject_id);
  const isOfBundle = ({ kind, subject_type, subject_id }: ChainEntry): boolean =>
    kind === 'SYSTEM' || !RECORDS.has(subject_type) || shownDocuments.has(subject_id);
  return [...byEvents.filter((entry) => !namesWithheld(entry)), ...others.filter(isOfBundle)];
}
