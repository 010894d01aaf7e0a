import { INTERNAL_SCOPE } from '../../../../shared/auth/scopes.js';
import { type StateMachine, stateMachine, type TransitionRow } from '../../../../shared/state-machine/state-machine.js';

// What members may ask of a plan about their data (api.md section 6 "data rights"): HIPAA 45 CFR 164.524 (access), 164.526
// (amendment), 164.522(a) (restriction), 164.528 (accounting of disclosures); erasure as state law and contracts give it.

export const DATA_RIGHTS = ['ACCESS', 'AMENDMENT', 'RESTRICTION', 'ACCOUNTING_OF_DISCLOSURES', 'ERASURE'] as const;
export type DataRight = (typeof DATA_RIGHTS)[number];

/** While one of these is open, what it is about stays: an answer is over what there was when it was asked for. */
export const KEEPING_RIGHTS: readonly DataRight[] = ['ACCESS', 'AMENDMENT', 'ACCOUNTING_OF_DISCLOSURES'];

export const RELATIONSHIPS = ['SELF', 'PERSONAL_REPRESENTATIVE', 'ATTORNEY', 'OTHER'] as const;
export type Relationship = (typeof RELATIONSHIPS)[number];

export const DATA_RIGHT_STATUSES = ['RECEIVED', 'VERIFIED', 'IN_PROGRESS', 'FULFILLED', 'DENIED'] as const;
export type DataRightStatus = (typeof DATA_RIGHT_STATUSES)[number];

/** Those in which somebody waits for an answer. */
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

/** Rows that are not every right's: work that can be gone on with, and 164.526(d) after a denied amendment. */
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

/** The table, as far as it is this right's. */
export const machineOf = (right: DataRight): StateMachine<DataRightStatus, DataRightAction> =>
  MACHINES.get(right) ?? DATA_RIGHT_MACHINE;

const DAY_MS = 86_400_000;
/** 45 CFR 164.524(b)(2)(i): acted on no later than 30 days after it was received. */
export const ANSWERED_WITHIN_MS = 30 * DAY_MS;
/** 45 CFR 164.524(b)(2)(iii): once, by no more than 30 days. */
export const EXTENDED_BY_AT_MOST_MS = 30 * DAY_MS;

export const dueAt = (receivedAt: Date): Date => new Date(receivedAt.getTime() + ANSWERED_WITHIN_MS);
export const latestExtension = (due: Date): Date => new Date(due.getTime() + EXTENDED_BY_AT_MOST_MS);

/** Open past its day. */
export const isOverdue = (
  { status, deadline }: { readonly status: DataRightStatus; readonly deadline: Date },
  nowMs: number,
): boolean => isOpen(status) && nowMs > deadline.getTime();
