import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EXCEPTION_KINDS } from '../../../shared/contracts/exceptions.js';
import type { Database } from '../../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { mongoLedgerStore } from '../../../subgraphs/ledger/append/model/ledger-store.js';
import { reopenKnownGaps } from '../../../subgraphs/ledger/exceptions/clear-exception.js';
import { EXCEPTION_TABLE } from '../../../subgraphs/ledger/exceptions/domain/kinds.js';
import { EXCEPTION_MACHINE, EXCEPTION_STATUSES } from '../../../subgraphs/ledger/exceptions/domain/states.js';
import { exceptionStore, mongoConflictStore } from '../../../subgraphs/ledger/exceptions/model.js';
import { ExceptionOpener, openLostConflicts } from '../../../subgraphs/ledger/exceptions/open-exceptions.js';
import { EXCEPTION_ROW } from '../../../subgraphs/ledger/exceptions/schema.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { INGEST, type LedgerProcess, startLedger } from '../ledger-kit.js';
import { type Asking, ask, KEY_ID, portsOver } from './desk-kit.js';

let server: TestServer;
let process: LedgerProcess;
let database: Database;

beforeAll(async () => {
  server = await startTestServer();
  process = await startLedger(await server.connect('exceptions'));
  database = await server.connect('exceptions');
});
afterAll(async () => {
  await process.close();
  await server.stop();
});

const FIELDS = `exception_id kind severity status allowed_actions source subject detail meaning advice raw_sha256 occurrences
  last_seen_at assigned_to resolution resolution_note resolved_at known_gap { reason until } revision created_at updated_at
  history { revision action from to at by actor_id note }`;
const LIST = `query($kind: String, $status: String, $severity: String, $source: String, $assigned_to: String,
  $subject_kind: String, $subject_id: String, $from: String, $to: String, $limit: Int, $cursor: String, $order: String) {
  exceptions(kind: $kind, status: $status, severity: $severity, source: $source, assigned_to: $assigned_to,
    subject_kind: $subject_kind, subject_id: $subject_id, from: $from, to: $to, limit: $limit, cursor: $cursor,
    order: $order) { items { ${FIELDS} } next_cursor } }`;
const ONE = `query($id: String!) { exception(exception_id: $id) { ${FIELDS} } }`;
const STEPS = {
  assign: `mutation($id: String!, $input: ExceptionAssignment!) { step: assignException(exception_id: $id, input: $input) { ${FIELDS} } }`,
  resolve: `mutation($id: String!, $input: ExceptionResolution!) { step: resolveException(exception_id: $id, input: $input) { ${FIELDS} } }`,
  'mark-known-gap': `mutation($id: String!, $input: KnownGapInput!) { step: markExceptionKnownGap(exception_id: $id, input: $input) { ${FIELDS} } }`,
} as const;
const INPUTS = {
  assign: { assignee: 'act_7' },
  resolve: { resolution: 'CORRECTED', note: 'sent again' },
  'mark-known-gap': { reason: 'a night of maintenance' },
} as const;
type StepName = keyof typeof STEPS;

const list = async (tenant: string, variables: Record<string, unknown> = {}) =>
  (await ask(process, LIST, variables, { tenant })).exceptions;
const take = async (tenant: string, id: string, name: StepName, input: object = INPUTS[name], as: Asking = {}) =>
  (await ask(process, STEPS[name], { id, input }, { tenant, ...as })).step;

/** The parts of the queue; effects stay pending. */
const services = () => ({
  clock: process.clock,
  ids: ulidIds(() => process.clock.nowMs(), systemRandomness()),
  exceptions: exceptionStore({ db: database.db, outbox: { relay: async () => {} } }, EXCEPTION_ROW),
});
const opener = () => new ExceptionOpener(services());

const desk = () => portsOver(process).desk;
const JOB = (row: string) => ({ queue: 'parcel.send', row_id: row });
const open = (tenant: string, row = 'a', detail: Record<string, string> = { reason: 'TypeError' }) =>
  desk().open(tenant as TenantId, { kind: 'JOB_POISONED', subject: JOB(row), detail });
const opened = async (tenant: string, row = 'a') => {
  await open(tenant, row);
  return (await list(tenant, { subject_id: row })).items[0];
};

describe('opening an exception', () => {
  it('returns meaning, advice, steps and possible actions', async () => {
    expect(await opened('t-open')).toMatchObject({
      kind: 'JOB_POISONED',
      severity: 'HIGH',
      status: 'OPEN',
      source: 'RECONCILIATION',
      subject: JOB('a'),
      detail: { reason: 'TypeError' },
      advice: EXCEPTION_TABLE.JOB_POISONED.advice,
      meaning: EXCEPTION_TABLE.JOB_POISONED.meaning,
      allowed_actions: ['assign', 'mark-known-gap', 'resolve'],
      occurrences: 1,
      revision: 1,
      history: [
        { revision: 1, action: 'open', from: null, to: 'OPEN', by: 'service:ledger', actor_id: null, note: null },
      ],
    });
  });

  it('counts repetitions while it is open, and keeps the first detail', async () => {
    const first = await opened('t-count');
    process.clock.advance(60_000);
    await Promise.all([open('t-count'), open('t-count', 'a', { reason: 'RangeError' })]);
    const { items } = await list('t-count');
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      exception_id: first.exception_id,
      occurrences: 3,
      detail: { reason: 'TypeError' },
    });
    expect(Date.parse(items[0].last_seen_at) - Date.parse(first.last_seen_at)).toBe(60_000);
  });

  it('opens one exception for many concurrent reports', async () => {
    await Promise.all(Array.from({ length: 20 }, () => open('t-race')));
    const { items } = await list('t-race');
    expect(items.map(({ occurrences }: { occurrences: number }) => occurrences)).toEqual([20]);
  });

  it('opens a new one after a resolution', async () => {
    const first = await opened('t-again');
    await take('t-again', first.exception_id, 'resolve');
    await open('t-again');
    const { items } = await list('t-again', { order: 'asc' });
    expect(items.map(({ status }: { status: string }) => status).sort()).toEqual(['OPEN', 'RESOLVED']);
    expect(items.map(({ occurrences }: { occurrences: number }) => occurrences)).toEqual([1, 1]);
  });

  it('stores its effects in the same write: an entry of _records and the platform event', async () => {
    const { exception_id } = await opened('t-effects');
    await opener().open('t-effects', [{ kind: 'FEED_STALE', source: 'INGEST', subject: { feed_id: 'f' }, detail: {} }]);
    const row = await database.db.collection('exceptions').findOne({ tenant_id: 't-effects', kind: 'FEED_STALE' });
    expect(row?.['pending'].map((effect: { kind: string }) => effect.kind)).toEqual(['ledger-entry', 'platform-event']);
    expect(row?.['pending'][0].entry).toMatchObject({ event_type: 'exception.opened', outcome: 'OPEN' });
    expect(row?.['pending'][1]).toMatchObject({
      type: 'exception.opened',
      data: { exception_id: row?._id, kind: 'FEED_STALE', severity: 'MEDIUM' },
    });
    expect(exception_id).not.toBe(row?._id);
  });
});

describe('the revision of a step', () => {
  it.each(['assign', 'resolve', 'mark-known-gap'] as const)(
    'rejects %s after a step that its author has not seen',
    async (name) => {
      const tenant = `t-seen-${name}`;
      const { exception_id, revision } = await opened(tenant);
      const seen = await take(tenant, exception_id, 'assign', { assignee: 'act_8', revision });
      expect(seen.revision).toBe(revision + 1);
      await expect(take(tenant, exception_id, name, { ...INPUTS[name], revision })).rejects.toMatchObject({
        code: 'CONFLICT',
      });
      expect((await ask(process, ONE, { id: exception_id }, { tenant })).exception).toEqual(seen);
      const taken = await take(tenant, exception_id, name, { ...INPUTS[name], revision: seen.revision });
      expect(taken.revision).toBe(revision + 2);
    },
  );
});

describe('the state table of exceptions', () => {
  const given = async (tenant: string, status: string, row: string): Promise<string> => {
    const { exception_id } = await opened(tenant, row);
    if (status === 'ASSIGNED') await take(tenant, exception_id, 'assign');
    if (status === 'KNOWN_GAP') await take(tenant, exception_id, 'mark-known-gap');
    if (status === 'RESOLVED') await take(tenant, exception_id, 'resolve');
    return exception_id;
  };
  const steps = EXCEPTION_STATUSES.flatMap((from) =>
    (Object.keys(STEPS) as StepName[]).map((name) => [from, name] as const),
  );

  it.each(steps)('%s takes %s as the table says', async (from, name) => {
    const id = await given('t-table', from, `${from}-${name}`);
    const row = EXCEPTION_MACHINE.rows.find((each) => each.from === from && each.action === name);
    const step = take('t-table', id, name);
    if (!row) return expect(step).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
    return expect(step).resolves.toMatchObject({ status: row.to });
  });

  it('keeps every step with its actor', async () => {
    const { exception_id } = await opened('t-steps');
    await take('t-steps', exception_id, 'assign', { assignee: 'act_2' }, { actorId: 'act_1' });
    const ended = await take('t-steps', exception_id, 'resolve', { resolution: 'ACCEPTED' });
    expect(ended).toMatchObject({ assigned_to: 'act_2', resolution: 'ACCEPTED', resolution_note: null, revision: 3 });
    expect(ended.resolved_at).not.toBeNull();
    expect(
      ended.history.map(({ action, by, actor_id, note }: Record<string, unknown>) => [action, by, actor_id, note]),
    ).toEqual([
      ['open', 'service:ledger', null, null],
      ['assign', KEY_ID, 'act_1', 'act_2'],
      ['resolve', KEY_ID, null, 'ACCEPTED'],
    ]);
    expect((await ask(process, ONE, { id: exception_id }, { tenant: 't-steps' })).exception).toEqual(ended);
  });

  it('takes a step once for one keyed request, however often it runs', async () => {
    const { exception_id } = await opened('t-keyed');
    const as = { workId: 'wrk_01JQ0000000000000000000001' };
    const first = await take('t-keyed', exception_id, 'resolve', INPUTS.resolve, as);
    expect(await take('t-keyed', exception_id, 'resolve', INPUTS.resolve, as)).toEqual(first);
  });

  it('requires exceptions:write for a step and exceptions:read to read', async () => {
    const { exception_id } = await opened('t-scopes');
    const read = { scopes: ['events:read', 'events:write'] } as const;
    await expect(take('t-scopes', exception_id, 'resolve', undefined, read)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(ask(process, LIST, {}, { ...read, tenant: 't-scopes' })).resolves.toBeDefined();
    await expect(ask(process, LIST, {}, { scopes: ['events:write'] })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('does not exist for another tenant', async () => {
    const { exception_id } = await opened('t-mine');
    await expect(take('t-theirs', exception_id, 'resolve')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await ask(process, ONE, { id: exception_id }, { tenant: 't-theirs' })).exception).toBeNull();
    expect((await list('t-theirs')).items).toEqual([]);
  });
});

describe('a known gap', () => {
  const reopen = () => reopenKnownGaps(services(), new AbortController().signal);
  const until = (ms: number) => new Date(process.clock.nowMs() + ms).toISOString();

  it('counts repetitions and opens nothing', async () => {
    const { exception_id } = await opened('t-gap');
    await take('t-gap', exception_id, 'mark-known-gap');
    await open('t-gap');
    expect((await list('t-gap')).items).toMatchObject([
      {
        exception_id,
        status: 'KNOWN_GAP',
        occurrences: 2,
        known_gap: { reason: 'a night of maintenance', until: null },
      },
    ]);
  });

  it('reopens after its time and not before; one without a time stays', async () => {
    const { exception_id } = await opened('t-until');
    const endless = await opened('t-until', 'b');
    await take('t-until', exception_id, 'mark-known-gap', { reason: 'r', until: until(60_000) });
    await take('t-until', endless.exception_id, 'mark-known-gap');
    process.clock.advance(59_999);
    expect(await reopen()).toBe(0);
    process.clock.advance(1);
    expect(await reopen()).toBe(1);
    const { exception } = await ask(process, ONE, { id: exception_id }, { tenant: 't-until' });
    expect(exception).toMatchObject({ status: 'OPEN', known_gap: null });
    expect(exception.history.at(-1)).toMatchObject({ action: 'reopen', by: 'service:ledger' });
    expect((await list('t-until', { status: 'KNOWN_GAP' })).items).toHaveLength(1);
  });

  it('may not end in the past', async () => {
    const { exception_id } = await opened('t-past');
    const past = take('t-past', exception_id, 'mark-known-gap', { reason: 'r', until: '2020-01-01T00:00:00Z' });
    await expect(past).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      errors: [expect.objectContaining({ path: '/until' })],
    });
  });
});

describe('an exception with a cause that no longer exists', () => {
  it('is resolved by kind and subject, in any status', async () => {
    const feed = { kind: 'FEED_STALE', subject: { feed_id: 'fed_1' }, detail: {} } as const;
    await desk().open('t-clear' as TenantId, feed);
    const [first] = (await list('t-clear')).items;
    await take('t-clear', first.exception_id, 'assign');
    await desk().resolve('t-clear' as TenantId, 'FEED_STALE', { feed_id: 'fed_1' }, 'a message has come');
    expect((await list('t-clear')).items).toMatchObject([
      { status: 'RESOLVED', resolution: 'CLEARED', resolution_note: 'a message has come', assigned_to: 'act_7' },
    ]);
  });

  it('changes nothing if there is no open exception', async () => {
    await desk().resolve('t-none' as TenantId, 'FEED_STALE', { feed_id: 'fed_1' }, 'a message has come');
    expect((await list('t-none')).items).toEqual([]);
  });
});

describe('GET /v1/exceptions', () => {
  beforeAll(async () => {
    for (const row of ['a', 'b', 'c']) {
      process.clock.advance(1_000);
      await open('t-list', row);
    }
    await desk().open('t-list' as TenantId, {
      kind: 'WORM_MISMATCH',
      subject: { kind: 'RAW', id: 'f'.repeat(64) },
      detail: {},
    });
    const [{ exception_id }] = (await list('t-list', { subject_id: 'a' })).items;
    await take('t-list', exception_id, 'assign');
  });

  it.each([
    ['kind', { kind: 'WORM_MISMATCH' }, 1],
    ['status', { status: 'ASSIGNED' }, 1],
    ['severity', { severity: 'HIGH' }, 3],
    ['source', { source: 'INGEST' }, 0],
    ['assignee', { assigned_to: 'act_7' }, 1],
    ['subject', { subject_id: 'f'.repeat(64) }, 1],
    ['kind of subject', { subject_kind: 'RAW' }, 1],
    ['two at once', { subject_id: 'parcel.send', status: 'OPEN' }, 2],
  ])('filters by %s', async (_, variables, expected) => {
    expect((await list('t-list', variables)).items).toHaveLength(expected);
  });

  it('is paged newest first without a gap or a repeat', async () => {
    const idsOf = (items: { exception_id: string }[]) => items.map(({ exception_id }) => exception_id);
    const whole = idsOf((await list('t-list')).items);
    const first = await list('t-list', { limit: 3 });
    const rest = await list('t-list', { limit: 3, cursor: first.next_cursor });
    expect([...idsOf(first.items), ...idsOf(rest.items)]).toEqual(whole);
    expect(rest.next_cursor).toBeNull();
  });
});

describe('a conflict of events', () => {
  const conflicts = { kind: 'SOURCE_RECORD_CONFLICT' };
  const ingest = (tenant: string, ...items: object[]) => ask(process, INGEST, { items }, { tenant });
  const runs = (): Promise<void> => {
    const store = mongoLedgerStore(database.db);
    const deps = { store, conflicts: mongoConflictStore(database.db), openExceptions: opener().open };
    return openLostConflicts(deps, new AbortController().signal);
  };

  it('is opened from the mark in its row if a crash lost it after the append', async () => {
    await ingest('t-lost', envelope(1), envelope(1, { outcome: 'DENIED' }), envelope(2));
    const [before] = (await list('t-lost', conflicts)).items;
    await database.db.collection('exceptions').deleteMany({ tenant_id: 't-lost' });
    await runs();
    const { items } = await list('t-lost', conflicts);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      exception_id: before.exception_id,
      subject: before.subject,
      detail: before.detail,
    });
  });

  it('is not opened again after a resolution, however often it is derived', async () => {
    await ingest('t-done', envelope(1), envelope(1, { outcome: 'DENIED' }));
    const [{ exception_id }] = (await list('t-done', conflicts)).items;
    await take('t-done', exception_id, 'resolve');
    await database.db.collection('exception_cursors').deleteMany({});
    await runs();
    expect((await list('t-done', conflicts)).items).toMatchObject([
      { exception_id, status: 'RESOLVED', occurrences: 1 },
    ]);
  });

  it('is a new exception for each further statement', async () => {
    await ingest('t-more', envelope(1), envelope(1, { outcome: 'DENIED' }));
    await runs();
    await ingest('t-more', envelope(1, { outcome: 'APPROVED' }));
    await runs();
    expect((await list('t-more', conflicts)).items).toHaveLength(2);
  });
});

it('every kind of exception has a severity, a meaning, advice and documentation', () => {
  const documentation = readFileSync(new URL('../../../docs/exceptions.md', import.meta.url), 'utf8');
  for (const kind of EXCEPTION_KINDS) {
    const { meaning, advice } = EXCEPTION_TABLE[kind];
    expect(meaning.length).toBeGreaterThan(20);
    expect(documentation).toContain(`\`${kind}\``);
    expect(documentation).toContain(advice);
  }
});
