import type { ExceptionDraft } from './ports/exception-store.js';

// What sealing, scrub and reconciliation tell a person, one function a finding. Subject and kind are its identity: the
// same finding of two parts, or of two rounds, is one exception.

type Draft = Omit<ExceptionDraft, 'source'>;

const reconciliation = (draft: Draft): ExceptionDraft => ({ ...draft, source: 'RECONCILIATION' });

/** A write-once record whose bytes do not hash to its name. */
export const damagedRecord = (segment: string, sha256: string): ExceptionDraft =>
  reconciliation({
    kind: 'WORM_MISMATCH',
    subject: { kind: 'WORM_RECORD', id: sha256 },
    detail: { segment, compared: 'the bytes of the record with their hash' },
  });

export const damagedBlob = (sha256: string, why: string): ExceptionDraft =>
  reconciliation({ kind: 'WORM_MISMATCH', subject: { kind: 'WORM_BLOB', id: sha256 }, detail: { compared: why } });

/** A sealed segment that holds other than its seal says. */
export const brokenSeal = (segment: string, differs: readonly string[]): ExceptionDraft =>
  reconciliation({
    kind: 'WORM_MISMATCH',
    subject: { kind: 'WORM_SEGMENT', id: segment },
    detail: { compared: 'what the segment holds with its seal', differs: [...differs] },
  });

/** Where in a chain something was found. */
export interface EntryPlace {
  readonly sourceSystem: string;
  readonly sequence: number;
  readonly eventId: string | null;
}

const entrySubject = ({ sourceSystem, sequence }: EntryPlace) => ({
  kind: 'ENTRY',
  id: `${sourceSystem}/${sequence}`,
});

const entryDetail = ({ sourceSystem, sequence, eventId }: EntryPlace) => ({
  source_system: sourceSystem,
  sequence,
  ...(eventId === null ? {} : { event_id: eventId }),
});

/** @param until the last missing sequence, as far as it is known. */
export const missingEntries = (place: EntryPlace, until: number, seenIn: string): ExceptionDraft =>
  reconciliation({
    kind: 'SEQUENCE_GAP',
    subject: entrySubject(place),
    detail: { ...entryDetail(place), missing_until: until, seen_in: seenIn },
  });

export const brokenChain = (place: EntryPlace, compared: string): ExceptionDraft =>
  reconciliation({ kind: 'CHAIN_BREAK', subject: entrySubject(place), detail: { ...entryDetail(place), compared } });

/** A copy that is gone and cannot be made again, because the ledger's own record does not hash to its name. */
export const missingCopy = (place: EntryPlace, sha256: string): ExceptionDraft =>
  reconciliation({
    kind: 'WORM_MISSING',
    subject: { kind: 'WORM_RECORD', id: sha256 },
    detail: { ...entryDetail(place), compared: 'the entry with its write-once copy' },
  });
