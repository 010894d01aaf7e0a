import type { ExceptionDraft } from '../exceptions/index.js';
import { COPY_FAULTS, type CopyFault } from './domain/write-once-copy.js';

// Exceptions that sealing, scrub and reconciliation open, one function per finding. Kind and subject are the identity:
// the same finding of two parts or rounds is one exception.

type Draft = Omit<ExceptionDraft, 'source'>;

const reconciliation = (draft: Draft): ExceptionDraft => ({ ...draft, source: 'RECONCILIATION' });

/** A write-once record that is damaged in its bytes or its seed. */
export const damagedRecord = (segment: string, sha256: string, fault: CopyFault): ExceptionDraft =>
  reconciliation({
    kind: 'WORM_MISMATCH',
    subject: { kind: 'WORM_RECORD', id: sha256 },
    detail: { segment, compared: COPY_FAULTS[fault] },
  });

export const damagedBlob = (sha256: string, why: string): ExceptionDraft =>
  reconciliation({ kind: 'WORM_MISMATCH', subject: { kind: 'WORM_BLOB', id: sha256 }, detail: { compared: why } });

/** A sealed segment with content that differs from its seal. */
export const brokenSeal = (segment: string, differs: readonly string[]): ExceptionDraft =>
  reconciliation({
    kind: 'WORM_MISMATCH',
    subject: { kind: 'WORM_SEGMENT', id: segment },
    detail: { compared: 'the content of the segment with its seal', differs: [...differs] },
  });

/** The place of a finding in a chain. */
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

/** @param until the last missing sequence, as far as known. */
export const missingEntries = (place: EntryPlace, until: number, seenIn: string): ExceptionDraft =>
  reconciliation({
    kind: 'SEQUENCE_GAP',
    subject: entrySubject(place),
    detail: { ...entryDetail(place), missing_until: until, seen_in: seenIn },
  });

export const brokenChain = (place: EntryPlace, compared: string): ExceptionDraft =>
  reconciliation({ kind: 'CHAIN_BREAK', subject: entrySubject(place), detail: { ...entryDetail(place), compared } });

/** The write-once copy of an entry that is damaged, and no sound one lies elsewhere. */
export const damagedCopy = (place: EntryPlace, sha256: string, fault: CopyFault): ExceptionDraft =>
  reconciliation({
    kind: 'WORM_MISMATCH',
    subject: { kind: 'WORM_RECORD', id: sha256 },
    detail: { ...entryDetail(place), compared: COPY_FAULTS[fault] },
  });

/** A missing copy that cannot be restored, because the ledger's own record differs from its hash. */
export const missingCopy = (place: EntryPlace, sha256: string): ExceptionDraft =>
  reconciliation({
    kind: 'WORM_MISSING',
    subject: { kind: 'WORM_RECORD', id: sha256 },
    detail: { ...entryDetail(place), compared: 'the entry with its write-once copy' },
  });
