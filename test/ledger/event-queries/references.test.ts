import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { type LedgerProcess, startLedger } from '../ledger-kit.js';

let server: TestServer;
let ledger: LedgerProcess;

beforeAll(async () => {
  server = await startTestServer();
  ledger = await startLedger(await server.connect('references'));
});

afterAll(async () => {
  await ledger.close();
  await server.stop();
});

const INGEST = 'mutation($items: [JSON]!) { ingestEvents(items: $items) { results } }';
const REFERENCES = `query E($representations: [_Any!]!) {
  _entities(representations: $representations) { ... on EventRecord { event_id source_record_id } }
}`;

describe('references to events from other subgraphs', () => {
  it('resolve in their order for the tenant, and to null for an unknown event and for another tenant', async () => {
    const items = ['ref-1', 'ref-2'].map((source_record_id) => envelope(source_record_id, { source_record_id }));
    const { ingestEvents } = await ledger.run(INGEST, { items }, 'references-a');
    const ids: string[] = ingestEvents.results.map(({ event_id }: { event_id: string }) => event_id);
    const named = [...ids].reverse().concat('evt_01JQ0000000000000000000001');
    const representations = named.map((event_id) => ({ __typename: 'EventRecord', event_id }));
    const own = await ledger.run(REFERENCES, { representations }, 'references-a');
    expect(own._entities).toEqual([
      { event_id: ids[1], source_record_id: 'ref-2' },
      { event_id: ids[0], source_record_id: 'ref-1' },
      null,
    ]);
    const foreign = await ledger.run(REFERENCES, { representations }, 'references-b');
    expect(foreign._entities).toEqual([null, null, null]);
  });
});
