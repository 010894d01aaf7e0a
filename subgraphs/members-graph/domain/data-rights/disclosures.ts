import type { CustodyAction } from '../../../../shared/contracts/custody.js';
import { sha256Hex } from '../../../../shared/crypto/hash.js';

// Which acts of custody gave something of a member to somebody (45 CFR 164.528). Told too many rather than too few: what was
// disclosed for treatment, payment or operations stands in the list with its purpose, and is for the handler to leave out.

/** `TO_A_RECIPIENT`: a read is the plan's own use, unless it was done for somebody who is named. */
type Counts = 'ALWAYS' | 'TO_A_RECIPIENT';

interface DisclosureRow {
  readonly counts: Counts;
  /** What went, in words. */
  readonly what: string;
}

export const DISCLOSURES = {
  DISCLOSED: { counts: 'ALWAYS', what: 'Was shown or told to somebody outside.' },
  TRANSFERRED: { counts: 'ALWAYS', what: 'Was handed over to somebody outside.' },
  COPIED: { counts: 'ALWAYS', what: 'Was copied outside the service.' },
  INSPECTED: { counts: 'TO_A_RECIPIENT', what: 'Was examined outside the service.' },
  DOWNLOAD_BUNDLE: { counts: 'ALWAYS', what: 'A sealed bundle was downloaded.' },
  EXPORT_EDX: { counts: 'ALWAYS', what: 'A bundle was exported for electronic discovery.' },
  READ_MEMBER_RECORD: { counts: 'ALWAYS', what: "The member's record was read by somebody who acts for them." },
  READ_TIMELINE: { counts: 'TO_A_RECIPIENT', what: "The member's timeline was read." },
  READ_CONTENT: { counts: 'TO_A_RECIPIENT', what: 'The content of a document was given out.' },
  READ_RAW: { counts: 'TO_A_RECIPIENT', what: 'The raw message of an event was given out.' },
} as const satisfies Partial<Record<CustodyAction, DisclosureRow>>;

type DisclosureAction = keyof typeof DISCLOSURES;
export const DISCLOSURE_ACTIONS = Object.keys(DISCLOSURES) as DisclosureAction[];

const isAmong = (action: CustodyAction): action is DisclosureAction => Object.hasOwn(DISCLOSURES, action);

/** What went, where the act is a disclosure; null where it is not. */
export function disclosed({
  action,
  recipient,
}: {
  readonly action: CustodyAction;
  readonly recipient?: string;
}): string | null {
  if (!isAmong(action)) return null;
  const { counts, what } = DISCLOSURES[action];
  return counts === 'ALWAYS' || recipient !== undefined ? what : null;
}

/** 45 CFR 164.528(a)(1): six years before the day of the request. Of 29 February, in a year without one, 1 March. */
export function accountedFrom(receivedAt: Date): Date {
  const from = new Date(receivedAt);
  from.setUTCFullYear(from.getUTCFullYear() - 6);
  // Nothing was recorded before; a time that has no four digits of a year could not be told.
  return new Date(Math.max(0, from.getTime()));
}

/** Names an answer: SHA-256 over the entries' hashes, in the order of the list, each with a line feed behind it. */
export const disclosuresSha256 = (entryHashes: readonly string[]): string =>
  sha256Hex(entryHashes.map((hash) => `${hash}\n`).join(''));
