import { describe, expect, test } from '@jest/globals';
import { INTERNAL_SCOPE } from '../../shared/auth/scopes.js';
import { sha256Hex } from '../../shared/crypto/hash.js';
import { Problem } from '../../shared/errors/problem.js';
import { actionsOf, statesOf, transition } from '../../shared/state-machine/state-machine.js';
import {
  DATA_RIGHT_MACHINE,
  DATA_RIGHT_STATUSES,
  DATA_RIGHTS,
  type DataRight,
  type DataRightAction,
  type DataRightStatus,
  dueAt,
  isOverdue,
  latestExtension,
  machineOf,
} from '../../subgraphs/members-graph/domain/data-rights/data-right.js';
import {
  accountedFrom,
  disclosed,
  disclosuresSha256,
} from '../../subgraphs/members-graph/domain/data-rights/disclosures.js';
import { ErasureTally } from '../../subgraphs/vault/domain/erasure-tally.js';
import {
  documentFreeAtMs,
  eventFreeAtMs,
  isDocumentPastAge,
  type RetentionRules,
} from '../../subgraphs/vault/domain/retention.js';

/** Where each action leads from each state; what is not here is refused. Some are a right's own. */
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

  test.each(steps)('$right that is $from: $action', ({ right, from, action }) => {
    const own = OWN[`${from} ${action}`];
    const to = own !== undefined && !own.includes(right) ? undefined : LEADS[from][action];
    const take = () => transition(machineOf(right), from, action);
    if (to === undefined) expect(take).toThrow(Problem);
    else expect(take().to).toBe(to);
  });

  test('are those of the contract, and what the service does by itself is out of the reach of keys', () => {
    expect(statesOf(DATA_RIGHT_MACHINE).sort()).toEqual([...DATA_RIGHT_STATUSES].sort());
    for (const { action, scope } of DATA_RIGHT_MACHINE.rows) {
      expect(scope).toBe(action === 'overdue' || action === 'report' ? INTERNAL_SCOPE : 'data-rights:write');
    }
  });
});

describe('the time to answer', () => {
  const received = new Date('2026-01-15T10:00:00.000Z');
  const deadline = dueAt(received);

  test('is 30 days from when it was received, and at most 30 more', () => {
    expect(deadline.toISOString()).toBe('2026-02-14T10:00:00.000Z');
    expect(latestExtension(deadline).toISOString()).toBe('2026-03-16T10:00:00.000Z');
  });

  test('is over for what is open past its day, and for nothing that is answered', () => {
    const after = deadline.getTime() + 1;
    expect(isOverdue({ status: 'VERIFIED', deadline }, after - 1)).toBe(false);
    expect(isOverdue({ status: 'VERIFIED', deadline }, after)).toBe(true);
    for (const status of ['FULFILLED', 'DENIED'] as const) expect(isOverdue({ status, deadline }, after)).toBe(false);
  });
});

describe('what counts as a disclosure', () => {
  test.each(['DISCLOSED', 'TRANSFERRED', 'COPIED', 'DOWNLOAD_BUNDLE', 'EXPORT_EDX', 'READ_MEMBER_RECORD'] as const)(
    '%s always',
    (action) => expect(disclosed({ action })).not.toBeNull(),
  );

  test.each(['READ_TIMELINE', 'READ_CONTENT', 'READ_RAW', 'INSPECTED'] as const)(
    '%s only where it was for somebody who is named',
    (action) => {
      expect(disclosed({ action })).toBeNull();
      expect(disclosed({ action, recipient: 'Counsel' })).not.toBeNull();
    },
  );

  test.each(['NOTED', 'RECEIVED', 'HOLD', 'DISPOSE', 'READ_DISCLOSURES', 'UPLOAD'] as const)('%s never', (action) => {
    expect(disclosed({ action, recipient: 'Counsel' })).toBeNull();
  });

  test('six years back, also from a day that the year has not', () => {
    expect(accountedFrom(new Date('2026-05-01T00:00:00Z')).toISOString()).toBe('2020-05-01T00:00:00.000Z');
    expect(accountedFrom(new Date('2024-02-29T00:00:00Z')).toISOString()).toBe('2018-03-01T00:00:00.000Z');
    expect(accountedFrom(new Date('0003-02-28T00:00:00Z')).toISOString()).toBe('1970-01-01T00:00:00.000Z');
  });

  test('an answer is named by the hashes of its entries in their order', () => {
    expect(disclosuresSha256(['a', 'b'])).toBe(sha256Hex('a\nb\n'));
    expect(disclosuresSha256(['b', 'a'])).not.toBe(disclosuresSha256(['a', 'b']));
  });
});

describe('what an erasure leaves', () => {
  test('is counted once by kind and reason, with its holds and its times', () => {
    const tally = new ErasureTally();
    tally.held('EVENT', 'e1', ['h2', 'h1']);
    tally.held('EVENT', 'e2', ['h1']);
    tally.held('EVENT', 'e2', ['h3']);
    tally.retained('EVENT', 'e3', 2_000);
    tally.retained('EVENT', 'e4', 1_000);
    tally.shared('DOCUMENT', 'd1');
    const [earliest_at, latest_at] = [new Date(1_000).toISOString(), new Date(2_000).toISOString()];
    expect(tally.told()).toEqual([
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

  test.each([
    ['claims', '2020-03-01T00:00:00Z', '2025-01-01T00:00:00Z', '2026-03-01T00:00:00.001Z'],
    ['claims', '2020-02-29T00:00:00Z', '2020-02-29T00:00:00Z', '2026-03-01T00:00:00.001Z'],
    ['appeals', '2020-03-01T00:00:00Z', '2025-01-01T00:00:00Z', '2035-01-01T00:00:00.001Z'],
  ])('an event of %s of %s that came %s is past its age at %s', (event_family, effective, came, free) => {
    const event = { event_family, effective_at_ms: ms(effective), recorded_at_ms: ms(came) };
    expect(eventFreeAtMs(rules, event)).toBe(ms(free));
  });

  test('a document is past its age from the time that is told on, and not before', () => {
    const letter = {
      document_type: 'letter',
      effectiveMs: ms('2019-05-01T00:00:00Z'),
      createdMs: ms('2020-05-01T00:00:00Z'),
    };
    const free = documentFreeAtMs(rules, letter);
    expect([isDocumentPastAge(rules, letter, free - 1), isDocumentPastAge(rules, letter, free)]).toEqual([false, true]);
  });
});
