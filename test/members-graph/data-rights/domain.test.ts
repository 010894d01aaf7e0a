import { describe, expect, it } from '@jest/globals';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { Problem } from '../../../shared/errors/problem.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import {
  accountedFrom,
  DATA_RIGHT_MACHINE,
  DATA_RIGHT_STATUSES,
  DATA_RIGHTS,
  type DataRight,
  type DataRightAction,
  type DataRightStatus,
  disclosed,
  disclosuresSha256,
  dueAt,
  isOverdue,
  latestExtension,
  machineOf,
} from '../../../subgraphs/members-graph/data-rights/domain.js';
import { ErasureTally } from '../../../subgraphs/vault/retention/domain/erasure-tally.js';
import {
  documentAgedAtMs,
  eventFreeAtMs,
  isAgedDocument,
  type RetentionRules,
} from '../../../subgraphs/vault/retention/domain/rules.js';
import { actionsOf, statesOf } from '../../support/state-machine.js';

/** Expected state table; other steps are rejected. Some steps exist for one right only. */
const LEADS: Readonly<Record<DataRightStatus, Partial<Record<DataRightAction, DataRightStatus>>>> = {
  RECEIVED: { verify: 'VERIFIED', extend: 'RECEIVED', deny: 'DENIED', overdue: 'RECEIVED' },
  VERIFIED: { start: 'IN_PROGRESS', extend: 'VERIFIED', deny: 'DENIED', overdue: 'VERIFIED' },
  IN_PROGRESS: {
    start: 'IN_PROGRESS',
    fulfil: 'FULFILLED',
    report: 'IN_PROGRESS',
    extend: 'IN_PROGRESS',
    deny: 'DENIED',
    overdue: 'IN_PROGRESS',
  },
  FULFILLED: {},
  DENIED: { disagree: 'DENIED' },
};

const OWN: Readonly<Partial<Record<string, readonly DataRight[]>>> = {
  'IN_PROGRESS start': ['ACCESS', 'ERASURE'],
  'IN_PROGRESS report': ['ERASURE'],
  'DENIED disagree': ['AMENDMENT'],
};

describe('the states of a data right', () => {
  const steps = DATA_RIGHTS.flatMap((right) =>
    DATA_RIGHT_STATUSES.flatMap((from) => actionsOf(DATA_RIGHT_MACHINE).map((action) => ({ right, from, action }))),
  );

  it.each(steps)('$right that is $from: $action', ({ right, from, action }) => {
    const own = OWN[`${from} ${action}`];
    const to = own !== undefined && !own.includes(right) ? undefined : LEADS[from][action];
    const take = () => transition(machineOf(right), from, action);
    if (to === undefined) expect(take).toThrow(Problem);
    else expect(take().to).toBe(to);
  });

  it('match the contract, and keep steps of the service internal', () => {
    expect(statesOf(DATA_RIGHT_MACHINE).sort()).toEqual([...DATA_RIGHT_STATUSES].sort());
    for (const { action, scope } of DATA_RIGHT_MACHINE.rows) {
      expect(scope).toBe(action === 'overdue' || action === 'report' ? INTERNAL_SCOPE : 'data-rights:write');
    }
  });
});

describe('the deadline', () => {
  const received = new Date('2026-01-15T10:00:00.000Z');
  const deadline = dueAt(received);

  it('is 30 days after receipt, and at most 30 days more', () => {
    expect(deadline.toISOString()).toBe('2026-02-14T10:00:00.000Z');
    expect(latestExtension(deadline).toISOString()).toBe('2026-03-16T10:00:00.000Z');
  });

  it('is missed by open requests only', () => {
    const after = deadline.getTime() + 1;
    expect(isOverdue({ status: 'VERIFIED', deadline }, after - 1)).toBe(false);
    expect(isOverdue({ status: 'VERIFIED', deadline }, after)).toBe(true);
    for (const status of ['FULFILLED', 'DENIED'] as const) expect(isOverdue({ status, deadline }, after)).toBe(false);
  });
});

describe('disclosed()', () => {
  it.each(['DISCLOSED', 'TRANSFERRED', 'COPIED', 'DOWNLOAD_BUNDLE', 'EXPORT_EDX', 'READ_MEMBER_RECORD'] as const)(
    '%s always',
    (action) => expect(disclosed({ action })).not.toBeNull(),
  );

  it.each(['READ_TIMELINE', 'READ_CONTENT', 'READ_RAW', 'INSPECTED'] as const)(
    '%s only if it was for a named person',
    (action) => {
      expect(disclosed({ action })).toBeNull();
      expect(disclosed({ action, recipient: 'Counsel' })).not.toBeNull();
    },
  );

  it.each(['NOTED', 'RECEIVED', 'HOLD', 'DISPOSE', 'READ_DISCLOSURES', 'UPLOAD'] as const)(
    '%s is never a disclosure',
    (action) => {
      expect(disclosed({ action, recipient: 'Counsel' })).toBeNull();
    },
  );

  it('accountedFrom goes back six years, also from 29 February', () => {
    expect(accountedFrom(new Date('2026-05-01T00:00:00Z')).toISOString()).toBe('2020-05-01T00:00:00.000Z');
    expect(accountedFrom(new Date('2024-02-29T00:00:00Z')).toISOString()).toBe('2018-03-01T00:00:00.000Z');
    expect(accountedFrom(new Date('0003-02-28T00:00:00Z')).toISOString()).toBe('1970-01-01T00:00:00.000Z');
  });

  it('an answer is hashed over its entries in order', () => {
    expect(disclosuresSha256(['a', 'b'])).toBe(sha256Hex('a\nb\n'));
    expect(disclosuresSha256(['b', 'a'])).not.toBe(disclosuresSha256(['a', 'b']));
  });
});

describe('records that an erasure keeps', () => {
  it('are counted once by kind and reason, with holds and times', () => {
    const tally = new ErasureTally();
    tally.held('EVENT', 'e1', ['h2', 'h1']);
    tally.held('EVENT', 'e2', ['h1']);
    tally.held('EVENT', 'e2', ['h3']);
    tally.retained('EVENT', 'e3', 2_000);
    tally.retained('EVENT', 'e4', 1_000);
    tally.shared('DOCUMENT', 'd1');
    const [earliest_at, latest_at] = [new Date(1_000).toISOString(), new Date(2_000).toISOString()];
    expect(tally.refusals()).toEqual([
      { kind: 'EVENT', reason: 'LEGAL_HOLD', count: 2, hold_ids: ['h1', 'h2'] },
      { kind: 'EVENT', reason: 'RETENTION', count: 2, earliest_at, latest_at },
      { kind: 'DOCUMENT', reason: 'OTHER_MEMBERS', count: 1 },
    ]);
  });

  const rules: RetentionRules = {
    default_years: 10,
    policies: [
      { event_family: 'Claims', years: 6, counts_from: 'EFFECTIVE' },
      { document_type: 'LETTER', years: 7 },
    ],
  };
  const ms = (text: string): number => Date.parse(text);

  it.each([
    ['claims', '2020-03-01T00:00:00Z', '2025-01-01T00:00:00Z', '2026-03-01T00:00:00.001Z'],
    ['claims', '2020-02-29T00:00:00Z', '2020-02-29T00:00:00Z', '2026-03-01T00:00:00.001Z'],
    ['appeals', '2020-03-01T00:00:00Z', '2025-01-01T00:00:00Z', '2035-01-01T00:00:00.001Z'],
  ])('release an event of %s of %s recorded %s at %s', (event_family, effective, came, free) => {
    const event = { event_family, effective_at_ms: ms(effective), recorded_at_ms: ms(came) };
    expect(eventFreeAtMs(rules, event)).toBe(ms(free));
  });

  it('release a document exactly at its reported time', () => {
    const letter = {
      document_type: 'letter',
      effective_at: new Date('2019-05-01T00:00:00Z'),
      created_at: new Date('2020-05-01T00:00:00Z'),
    };
    const free = documentAgedAtMs(rules, letter);
    expect([isAgedDocument(rules, letter, free - 1), isAgedDocument(rules, letter, free)]).toEqual([false, true]);
  });
});
