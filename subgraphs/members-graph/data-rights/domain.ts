import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { CustodyAction } from '../../../shared/contracts/custody.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { type StateMachine, stateMachine, type TransitionRow } from '../../../shared/state-machine/state-machine.js';

// Requests of members about their data (api.md section 6 "data rights"): HIPAA 45 CFR 164.524 (access), 164.526 (amendment),
// 164.522(a) (restriction), 164.528 (accounting of disclosures); erasure under state law and contracts.

export const DATA_RIGHTS = ['ACCESS', 'AMENDMENT', 'RESTRICTION', 'ACCOUNTING_OF_DISCLOSURES', 'ERASURE'] as const;
export type DataRight = (typeof DATA_RIGHTS)[number];

/** Rights with open requests that stop deletions, so that the answer covers the data at the time of the request. */
export const KEEPING_RIGHTS: readonly DataRight[] = ['ACCESS', 'AMENDMENT', 'ACCOUNTING_OF_DISCLOSURES'];

export const RELATIONSHIPS = ['SELF', 'PERSONAL_REPRESENTATIVE', 'ATTORNEY', 'OTHER'] as const;
export type Relationship = (typeof RELATIONSHIPS)[number];

export const DATA_RIGHT_STATUSES = ['RECEIVED', 'VERIFIED', 'IN_PROGRESS', 'FULFILLED', 'DENIED'] as const;
export type DataRightStatus = (typeof DATA_RIGHT_STATUSES)[number];

/** Statuses without an answer. */
export const OPEN_STATUSES = ['RECEIVED', 'VERIFIED', 'IN_PROGRESS'] as const satisfies readonly DataRightStatus[];
export const isOpen = (status: DataRightStatus): boolean => OPEN_STATUSES.some((open) => open === status);

export type DataRightAction =
  | 'receive'
  | 'verify'
  | 'start'
  | 'fulfil'
  | 'deny'
  | 'extend'
  | 'disagree'
  | 'overdue'
  | 'report';

type Row = TransitionRow<DataRightStatus, DataRightAction>;
const row = (from: DataRightStatus | null, action: DataRightAction, to: DataRightStatus, event: string): Row => ({
  from,
  action,
  to,
  scope: action === 'overdue' || action === 'report' ? INTERNAL_SCOPE : 'data-rights:write',
  emits: [`data-right.${event}`],
});
const whileOpen = (status: DataRightStatus): readonly Row[] => [
  row(status, 'extend', status, 'extended'),
  row(status, 'deny', 'DENIED', 'denied'),
  row(status, 'overdue', status, 'overdue'),
];

export const DATA_RIGHT_MACHINE = stateMachine<DataRightStatus, DataRightAction>('data right', [
  row(null, 'receive', 'RECEIVED', 'received'),
  row('RECEIVED', 'verify', 'VERIFIED', 'verified'),
  ...whileOpen('RECEIVED'),
  row('VERIFIED', 'start', 'IN_PROGRESS', 'started'),
  ...whileOpen('VERIFIED'),
  row('IN_PROGRESS', 'start', 'IN_PROGRESS', 'resumed'),
  row('IN_PROGRESS', 'fulfil', 'FULFILLED', 'fulfilled'),
  row('IN_PROGRESS', 'report', 'IN_PROGRESS', 'reported'),
  ...whileOpen('IN_PROGRESS'),
  row('DENIED', 'disagree', 'DENIED', 'disagreed'),
]);

/** Limits rows to rights: only some work can be resumed, and 164.526(d) covers denied amendments only. */
const isFor = (right: DataRight, { from, action }: Row): boolean => {
  if (action === 'disagree') return right === 'AMENDMENT';
  if (action === 'report') return right === 'ERASURE';
  return from !== 'IN_PROGRESS' || action !== 'start' || right === 'ACCESS' || right === 'ERASURE';
};

const MACHINES = new Map(
  DATA_RIGHTS.map((right) => [
    right,
    { ...DATA_RIGHT_MACHINE, rows: DATA_RIGHT_MACHINE.rows.filter((r) => isFor(right, r)) },
  ]),
);

/** Returns the state table of a right. */
export const machineOf = (right: DataRight): StateMachine<DataRightStatus, DataRightAction> =>
  MACHINES.get(right) ?? DATA_RIGHT_MACHINE;

const DAY_MS = 86_400_000;
/** 45 CFR 164.524(b)(2)(i): an answer within 30 days. */
const ANSWERED_WITHIN_MS = 30 * DAY_MS;
/** 45 CFR 164.524(b)(2)(iii): one extension of at most 30 days. */
const EXTENDED_BY_AT_MOST_MS = 30 * DAY_MS;

export const dueAt = (receivedAt: Date): Date => new Date(receivedAt.getTime() + ANSWERED_WITHIN_MS);
export const latestExtension = (due: Date): Date => new Date(due.getTime() + EXTENDED_BY_AT_MOST_MS);

/** True for an open request past its deadline. */
export const isOverdue = (
  { status, deadline }: { readonly status: DataRightStatus; readonly deadline: Date },
  nowMs: number,
): boolean => isOpen(status) && nowMs > deadline.getTime();

// Custody actions that are disclosures (45 CFR 164.528). The list includes disclosures for treatment, payment and operations
// with their purpose; the handler removes them.

/** `TO_A_RECIPIENT`: a read counts only if it names a recipient; otherwise it is the plan's own use. */
type Counts = 'ALWAYS' | 'TO_A_RECIPIENT';

interface DisclosureRow {
  readonly counts: Counts;
  /** Description of the disclosure. */
  readonly what: string;
}

const DISCLOSURES = {
  DISCLOSED: { counts: 'ALWAYS', what: 'Was disclosed to an outside party.' },
  TRANSFERRED: { counts: 'ALWAYS', what: 'Was transferred to an outside party.' },
  COPIED: { counts: 'ALWAYS', what: 'Was copied outside the service.' },
  INSPECTED: { counts: 'TO_A_RECIPIENT', what: 'Was examined outside the service.' },
  DOWNLOAD_BUNDLE: { counts: 'ALWAYS', what: 'A sealed bundle was downloaded.' },
  EXPORT_EDX: { counts: 'ALWAYS', what: 'A bundle was exported for electronic discovery.' },
  READ_MEMBER_RECORD: { counts: 'ALWAYS', what: "A representative of the member read the member's record." },
  READ_TIMELINE: { counts: 'TO_A_RECIPIENT', what: "The member's timeline was read." },
  READ_CONTENT: { counts: 'TO_A_RECIPIENT', what: 'The content of a document was returned.' },
  READ_RAW: { counts: 'TO_A_RECIPIENT', what: 'The raw message of an event was returned.' },
} as const satisfies Partial<Record<CustodyAction, DisclosureRow>>;

type DisclosureAction = keyof typeof DISCLOSURES;
const isDisclosure = (action: string): action is DisclosureAction => Object.hasOwn(DISCLOSURES, action);
export const DISCLOSURE_ACTIONS = Object.keys(DISCLOSURES).filter(isDisclosure);

/** Describes a disclosure. @returns null for another action */
export function disclosed({
  action,
  recipient,
}: {
  readonly action: CustodyAction;
  readonly recipient?: string;
}): string | null {
  if (!isDisclosure(action)) return null;
  const { counts, what } = DISCLOSURES[action];
  return counts === 'ALWAYS' || recipient !== undefined ? what : null;
}

/** Returns the time six years before the request (45 CFR 164.528(a)(1)); for 29 February, 1 March where needed. */
export function accountedFrom(receivedAt: Date): Date {
  const from = new Date(receivedAt);
  from.setUTCFullYear(from.getUTCFullYear() - 6);
  // Nothing was recorded before 1970, and RFC 3339 needs a year of four digits.
  return new Date(Math.max(0, from.getTime()));
}

/** Hashes an answer: SHA-256 over the entries' hashes in order, each followed by a line feed. */
export const disclosuresSha256 = (entryHashes: readonly string[]): string =>
  sha256Hex(entryHashes.map((hash) => `${hash}\n`).join(''));
