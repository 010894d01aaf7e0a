import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import { internalContext } from '../../../shared/auth/context.js';
import type { Database } from '../../../shared/db/database.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { Outbox } from '../../../shared/outbox/outbox.js';
import { performersOver } from '../../../shared/outbox/performers.js';
import { NOTICES } from '../../../subgraphs/ledger/append/model/notices.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { RecordingPlatformEvents, RecordingSystemLedger, recordingLogger } from '../../support/fakes.js';
import { INGEST, type LedgerProcess, startLedger } from '../ledger-kit.js';

const TENANT = 'followed';

let server: TestServer;
let databases = 0;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** A ledger with a follower that records its notices. */
const followed = async (follows: boolean) => {
  databases += 1;
  const database: Database = await server.connect(`followed${databases}`);
  const told: string[] = [];
  let waiting: (() => void) | undefined;
  const ledger: LedgerProcess = await startLedger(database, {
    ledgerFollower: {
      grown: async (tenantId, chains) => {
        told.push(...chains.map((chain) => `${tenantId} ${chain}`));
        waiting?.();
        return follows;
      },
    },
  });
  const untilTold = async (count: number): Promise<string[]> => {
    while (told.length < count) await new Promise<void>((resolve) => (waiting = resolve));
    return told;
  };
  const internally = async (source: string, variableValues: Record<string, unknown> = {}) => {
    const contextValue = internalContext(TENANT as TenantId, 'test');
    const { data, errors } = await graphql({ schema: ledger.ledger.schema, source, variableValues, contextValue });
    if (errors?.[0]) throw errors[0].originalError ?? errors[0];
    return data ?? {};
  };
  const post = (...items: unknown[]) => ledger.run(INGEST, { items }, TENANT);
  return { database, ledger, told, untilTold, internally, post };
};

describe('a follower of the ledger', () => {
  it('is signalled for grown chains, and reads on from its cursors', async () => {
    const { ledger, untilTold, internally, post } = await followed(true);
    await post(envelope(1), envelope(2), envelope(3, { source_system: 'claims' }));
    expect(new Set(await untilTold(2))).toEqual(new Set([`${TENANT} um-core`, `${TENANT} claims`]));
    const { ledgerHeads } = await internally('{ ledgerHeads }');
    expect(ledgerHeads).toEqual([
      { source_system: 'claims', sequence: 1 },
      { source_system: 'um-core', sequence: 2 },
    ]);
    const READ = `query ($after: JSON!, $all: Boolean!, $named: [String!]!, $limit: Int!) {
      ledgerFeed(after: $after, all: $all, named: $named, limit: $limit) }`;
    const read = async (variables: Record<string, unknown>) =>
      (await internally(READ, { after: [], all: true, named: [], limit: 10, ...variables }))['ledgerFeed'] as {
        entries: { source_system: string; sequence: number }[];
        more: boolean;
      };
    const placesOf = async (variables: Record<string, unknown>) => {
      const { entries, more } = await read(variables);
      return [entries.map(({ source_system, sequence }) => `${source_system} ${sequence}`), more];
    };
    expect(await placesOf({})).toEqual([['claims 1', 'um-core 1', 'um-core 2'], false]);
    expect(await placesOf({ after: [{ source_system: 'um-core', sequence: 1 }] })).toEqual([
      ['claims 1', 'um-core 2'],
      false,
    ]);
    expect(await placesOf({ limit: 2 })).toEqual([['claims 1', 'um-core 1'], true]);
    expect(await placesOf({ limit: 3 })).toEqual([['claims 1', 'um-core 1', 'um-core 2'], false]);
    expect(await placesOf({ all: false, named: ['um-core', 'nothing'] })).toEqual([['um-core 1', 'um-core 2'], false]);
    const { entries } = await read({ limit: 1 });
    expect(Object.keys(entries[0] ?? {}).sort()).toEqual([
      'entry_hash',
      'event_id',
      'recorded_at',
      'sequence',
      'source_system',
    ]);
    await ledger.close();
  });

  it('receives the contents of recent appends if it asks for them', async () => {
    const { ledger, database, internally, post } = await followed(true);
    await post(envelope(1), envelope(2));
    const READ = `{ ledgerFeed(after: [], all: true, named: [], limit: 10, contents: true) }`;
    const { entries } = (await internally(READ))['ledgerFeed'] as { entries: { content?: Record<string, unknown> }[] };
    expect(entries.map(({ content }) => content?.['source_record_id'])).toEqual(
      [1, 2].map((n) => envelope(n).source_record_id),
    );
    await ledger.close();
    // Another process has not appended them: they are there, and their contents are asked for otherwise.
    const other = await startLedger(database);
    const contextValue = internalContext(TENANT as TenantId, 'test');
    const { data } = await graphql({ schema: other.ledger.schema, source: READ, contextValue });
    const read = data?.['ledgerFeed'] as { entries: typeof entries };
    expect(read.entries).toEqual(entries.map(({ content: _, ...entry }) => entry));
    await other.close();
  });

  it('reads reserved partitions only by name', async () => {
    const { ledger, internally } = await followed(true);
    const item = { ...envelope(1), source_system: '_platform' };
    await internally('mutation ($items: [JSON!]!) { appendSystemEntries(items: $items) }', { items: [item] });
    const READ = `query ($all: Boolean!, $named: [String!]!) {
      ledgerFeed(after: [], all: $all, named: $named, limit: 10) }`;
    expect((await internally(READ, { all: true, named: [] }))['ledgerFeed']).toEqual({ entries: [], more: false });
    expect((await internally(READ, { all: false, named: ['_platform'] }))['ledgerFeed']).toMatchObject({
      entries: [{ source_system: '_platform', sequence: 1 }],
    });
    await ledger.close();
  });

  it('is asked again after it reported no follower when the tenant grows', async () => {
    const { ledger, untilTold, post } = await followed(false);
    await post(envelope(1));
    await untilTold(1);
    await post(envelope(2));
    expect(await untilTold(2)).toEqual([`${TENANT} um-core`, `${TENANT} um-core`]);
    await ledger.close();
  });

  it('cannot use an API key: the feed rejects all of them', async () => {
    const { ledger } = await followed(true);
    await expect(ledger.run('{ ledgerHeads }', {}, TENANT)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await ledger.close();
  });
});

describe('event.duplicated', () => {
  it('is reported once per request, with every repeated event, and never for the service’s own entries', async () => {
    const { ledger, post, internally } = await followed(true);
    const first = (await post(envelope(1), envelope(2)))['ingestEvents'];
    const ids = first.results.map(({ event_id }: { event_id: string }) => event_id);
    expect(ledger.platformEvents.typesOf(TENANT)).toEqual([]);
    await post(envelope(2), envelope(1), envelope(1), envelope(3));
    const item = { ...envelope(1), source_system: '_platform' };
    const append = 'mutation ($items: [JSON!]!) { appendSystemEntries(items: $items) }';
    for (let n = 0; n < 2; n++) await internally(append, { items: [item] });
    await ledger.close();
    const told = ledger.platformEvents.messages.filter(({ type }) => type === 'event.duplicated');
    expect(told).toHaveLength(1);
    expect(new Set((told[0]?.data['event_ids'] as string[]) ?? [])).toEqual(new Set(ids));
  });

  it('is reported once by the sweep after a failure, and its row is removed', async () => {
    const { ledger, post, database } = await followed(true);
    await post(envelope(1));
    ledger.platformEvents.failure = new Error('the other part is away');
    await post(envelope(1));
    await ledger.close();
    const rows = database.db.collection(NOTICES.name);
    expect(await rows.countDocuments({ 'pending.kind': 'platform-event' })).toBe(1);
    const { logger } = recordingLogger();
    const platformEvents = new RecordingPlatformEvents();
    const performers = performersOver({ systemLedger: new RecordingSystemLedger(), platformEvents });
    const sweeper = new Outbox({ database, performers, logger }, [NOTICES.name]);
    // Another process dies between delivery and removal: the notice is repeated under the same id.
    const [row] = await rows.find().toArray();
    await sweeper.sweep();
    await rows.updateOne({ _id: row?._id as never }, { $set: { pending: row?.['pending'] as never } });
    await sweeper.sweep();
    expect(platformEvents.typesOf(TENANT)).toEqual(['event.duplicated']);
    await ledger.runRecurring('ledger.notices');
    expect(await rows.countDocuments()).toBe(0);
  });
});
