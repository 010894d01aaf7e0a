import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../shared/db/database.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { ask } from '../exceptions/desk-kit.js';
import { type GraphFault, type LedgerProcess, startLedger } from '../ledger-kit.js';

// The life of a feed by a clock of the test's own; the routes are in source-feeds-routes.test.ts.

let server: TestServer;
let database: Database;
let ledger: LedgerProcess;
let databases = 0;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  databases += 1;
  database = await server.connect(`feeds_${databases}`);
  ledger = await startLedger(database, { scopes: ['admin'] });
});
afterEach(async () => {
  await ledger.close();
  await database.close();
});

const SECOND_MS = 1_000;
const FEED = `{ feed_id status revision last_heartbeat_at last_event_at due_at allowed_actions history { action to by } }`;
const HEARTBEAT = `mutation($id: String!) { made: sourceFeedHeartbeat(feed_id: $id) ${FEED} }`;
const UPDATE = `mutation($id: String!, $input: SourceFeedPatch!) { made: updateSourceFeed(feed_id: $id, input: $input) ${FEED} }`;

// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge
const made = async (over: Record<string, unknown> = {}, tenant?: string): Promise<any> => {
  const input = { source_system: 'um-core', expected_interval_seconds: 60, grace_seconds: 10, ...over };
  const create = `mutation($input: SourceFeedInput!) { made: createSourceFeed(input: $input) ${FEED} }`;
  return (await ledger.run(create, { input }, tenant)).made;
};
const read = async (id: string) =>
  (await ledger.run(`query($id: String!) { made: sourceFeed(feed_id: $id) ${FEED} }`, { id })).made;
const heartbeat = async (id: string) => (await ledger.run(HEARTBEAT, { id })).made;
const patched = async (id: string, input: Record<string, unknown>) => (await ledger.run(UPDATE, { id, input })).made;
const deleted = async (id: string) =>
  (await ledger.run(`mutation($id: String!) { made: deleteSourceFeed(feed_id: $id) ${FEED} }`, { id })).made;
const sweep = async (tenant?: string) =>
  (await ledger.run('mutation { sweepSourceFeeds { judged became_stale recovered } }', {}, tenant)).sweepSourceFeeds;
const ingest = (n: number) =>
  ledger.run('mutation($items: [JSON]!) { ingestEvents(items: $items) { accepted } }', { items: [envelope(n)] });

interface Told {
  readonly status: string;
  readonly subject: { readonly id: string };
  readonly detail: Record<string, unknown>;
  readonly occurrences: number;
}
const exceptions = (): Promise<Told[]> =>
  database.db
    .collection<Told>('exceptions')
    .find({ kind: 'FEED_STALE' } as never)
    .sort({ _id: 1 })
    .toArray();
const statuses = async () => (await exceptions()).map(({ status }) => status);
const records = async (): Promise<string[]> => {
  const query = 'query { events(source_system: "_records", order: "asc") { items { event_type } } }';
  const { items } = (await ledger.run(query)).events;
  return items.map(({ event_type }: { event_type: string }) => event_type);
};

describe('a silent feed', () => {
  it('becomes stale after interval and grace, not a millisecond earlier', async () => {
    const { feed_id } = await made();
    ledger.clock.advance(70 * SECOND_MS);
    expect(await sweep()).toEqual({ judged: 0, became_stale: [], recovered: [] });
    expect((await read(feed_id)).status).toBe('HEALTHY');
    ledger.clock.advance(1);
    expect(await sweep()).toEqual({ judged: 1, became_stale: [feed_id], recovered: [] });
    expect(await read(feed_id)).toMatchObject({ status: 'STALE', revision: 2 });
  });

  it('opens one exception for any number of sweeps, with details for an operator', async () => {
    const { feed_id } = await made();
    ledger.clock.advance(71 * SECOND_MS);
    for (let n = 0; n < 3; n++) {
      await sweep();
      ledger.clock.advance(60 * SECOND_MS);
    }
    const [told, ...others] = await exceptions();
    expect(others).toEqual([]);
    expect(told).toMatchObject({
      status: 'OPEN',
      occurrences: 1,
      subject: { kind: 'SOURCE_FEED', id: feed_id },
      detail: { source_system: 'um-core', last_heartbeat_at: null, expected_interval_seconds: 60, grace_seconds: 10 },
    });
  });

  it('is found by the job, in every tenant', async () => {
    await made();
    await made({}, 'other-plan');
    ledger.clock.advance(71 * SECOND_MS);
    await ledger.runRecurring('ledger.feeds');
    expect(await statuses()).toEqual(['OPEN', 'OPEN']);
    expect(await sweep('other-plan')).toEqual({ judged: 1, became_stale: [], recovered: [] });
  });
});

describe('a sign of life', () => {
  it('by heartbeat moves the deadline and makes a stale feed healthy at once', async () => {
    const { feed_id } = await made();
    ledger.clock.advance(60 * SECOND_MS);
    expect((await heartbeat(feed_id)).due_at).toBe('2026-03-02T14:13:20.004Z');
    ledger.clock.advance(70 * SECOND_MS);
    expect((await sweep()).became_stale).toEqual([]);
    ledger.clock.advance(SECOND_MS);
    expect((await sweep()).became_stale).toEqual([feed_id]);
    expect((await heartbeat(feed_id)).status).toBe('HEALTHY');
    expect(await statuses()).toEqual(['RESOLVED']);
  });

  it('by a heartbeat with one Idempotency-Key recovers the feed each time that it is stale', async () => {
    const { feed_id } = await made();
    const again = { scopes: ['admin'], workId: 'wrk_01JQ0000000000000000000001' } as const;
    for (let n = 0; n < 2; n++) {
      ledger.clock.advance(71 * SECOND_MS);
      expect((await sweep()).became_stale).toEqual([feed_id]);
      expect((await ask(ledger, HEARTBEAT, { id: feed_id }, again)).made.status).toBe('HEALTHY');
    }
  });

  it('by an event counts as one, without a write to the feed', async () => {
    const { feed_id, due_at } = await made();
    ledger.clock.advance(60 * SECOND_MS);
    await ingest(1);
    const heard = await read(feed_id);
    expect(heard).toMatchObject({ last_event_at: '2026-03-02T14:12:10.004Z', last_heartbeat_at: null, revision: 1 });
    expect(heard.due_at > due_at).toBe(true);
    ledger.clock.advance(69 * SECOND_MS);
    expect((await sweep()).became_stale).toEqual([]);
    ledger.clock.advance(2 * SECOND_MS);
    expect((await sweep()).became_stale).toEqual([feed_id]);
  });

  it('by an event makes a stale feed healthy at the next sweep; a later silence opens a new exception', async () => {
    const { feed_id } = await made();
    ledger.clock.advance(71 * SECOND_MS);
    await sweep();
    await ingest(1);
    expect(await sweep()).toEqual({ judged: 1, became_stale: [], recovered: [feed_id] });
    expect(await statuses()).toEqual(['RESOLVED']);
    ledger.clock.advance(71 * SECOND_MS);
    await sweep();
    expect((await statuses()).sort()).toEqual(['OPEN', 'RESOLVED']);
  });

  it('of another system does not count', async () => {
    const { feed_id } = await made({ source_system: 'claims' });
    ledger.clock.advance(60 * SECOND_MS);
    await ingest(1);
    ledger.clock.advance(20 * SECOND_MS);
    expect((await sweep()).became_stale).toEqual([feed_id]);
  });
});

describe('a paused feed', () => {
  it('never becomes stale, and has its whole interval after it is resumed', async () => {
    const { feed_id } = await made();
    expect(await patched(feed_id, { status: 'PAUSED' })).toMatchObject({ status: 'PAUSED', due_at: null });
    ledger.clock.advance(3_600 * SECOND_MS);
    expect(await sweep()).toEqual({ judged: 0, became_stale: [], recovered: [] });
    expect((await heartbeat(feed_id)).status).toBe('PAUSED');
    expect((await patched(feed_id, { status: 'HEALTHY' })).status).toBe('HEALTHY');
    ledger.clock.advance(70 * SECOND_MS);
    expect((await sweep()).became_stale).toEqual([]);
    ledger.clock.advance(1);
    expect((await sweep()).became_stale).toEqual([feed_id]);
  });

  it('resolves the exception of a stale feed, as deletion does', async () => {
    const [one, two] = [await made(), await made({ source_system: 'claims' })];
    ledger.clock.advance(71 * SECOND_MS);
    await sweep();
    await patched(one.feed_id, { status: 'PAUSED' });
    expect((await deleted(two.feed_id)).status).toBe('DELETED');
    expect(await statuses()).toEqual(['RESOLVED', 'RESOLVED']);
  });
});

describe('a change', () => {
  it('of the interval counts from the last sign of life; a longer one heals at the next sweep', async () => {
    const { feed_id } = await made();
    ledger.clock.advance(71 * SECOND_MS);
    await sweep();
    await patched(feed_id, { expected_interval_seconds: 600 });
    expect((await sweep()).recovered).toEqual([feed_id]);
    await patched(feed_id, { expected_interval_seconds: 1, grace_seconds: 0 });
    expect((await sweep()).became_stale).toEqual([feed_id]);
  });

  it('is an entry of _records, a heartbeat none', async () => {
    const { feed_id } = await made();
    await heartbeat(feed_id);
    await patched(feed_id, { description: 'Nightly.' });
    ledger.clock.advance(71 * SECOND_MS);
    await sweep();
    await heartbeat(feed_id);
    await patched(feed_id, { status: 'PAUSED' });
    await patched(feed_id, { status: 'HEALTHY' });
    await deleted(feed_id);
    const told = ['created', 'updated', 'stale', 'recovered', 'paused', 'resumed', 'deleted'];
    expect((await records()).sort()).toEqual(told.map((word) => `source-feed.${word}`).sort());
  });

  it('that the state does not allow is rejected with the allowed actions', async () => {
    const { feed_id } = await made();
    ledger.clock.advance(71 * SECOND_MS);
    await sweep();
    const refused = await patched(feed_id, { status: 'HEALTHY' }).catch((error: GraphFault) => error.code);
    expect(refused).toBe('INVALID_TRANSITION');
  });

  it('of another revision is a conflict, even if the state does not allow it either', async () => {
    const { feed_id } = await made();
    ledger.clock.advance(71 * SECOND_MS);
    await sweep();
    const refused = await patched(feed_id, { status: 'HEALTHY', revision: 1 }).catch((error: GraphFault) => error.code);
    expect(refused).toBe('CONFLICT');
  });
});

describe('effects that a crash left behind', () => {
  it('are performed once by the next sweep', async () => {
    const { feed_id } = await made();
    ledger.clock.advance(71 * SECOND_MS);
    const before = (await records()).length;
    const feeds = database.db.collection<{ _id: string; pending: unknown[] }>('source_feeds');
    await sweep();
    const effects = await database.db.collection('exceptions').findOne({ kind: 'FEED_STALE', 'subject.id': feed_id });
    const id = effects?.['exception_id'] ?? effects?._id;
    const pending = {
      id: 'eff_01JQ0000000000000000000001',
      kind: 'feed-exception',
      tenant_id: 'acme-health',
      exception: 'FEED_STALE',
      subject: { kind: 'SOURCE_FEED', id: feed_id },
      opens: { exception_id: id, detail: effects?.['detail'] },
      note: '',
    };
    await feeds.updateOne({ _id: feed_id }, { $push: { pending } });
    await ledger.runRecurring('ledger.feeds');
    expect((await feeds.findOne({ _id: feed_id }))?.pending).toEqual([]);
    expect(await exceptions()).toMatchObject([{ status: 'OPEN', occurrences: 1 }]);
    expect((await records()).length).toBe(before + 1);
  });
});
