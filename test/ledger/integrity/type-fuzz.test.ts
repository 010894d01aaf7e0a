import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import type { Database } from '../../../shared/db/database.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { type GraphFault, type LedgerProcess, startLedger } from '../ledger-kit.js';
import { type Evidence, evidenceLogId, openEvidence } from './evidence-kit.js';
import { harmsOf, sampled, whileHarmed } from './type-fuzz-kit.js';

// Whatever a database row holds, verification names it and continues, and no read shows it or fails without a name.

const ROUNDS = Number(process.env['TYPE_FUZZ_ROUNDS'] ?? 40);
const SEED = Number(process.env['TYPE_FUZZ_SEED'] ?? 20);
const TENANT = 'type-fuzz';
const HOUR_MS = 3_600_000;

const VERIFY = `query { verifyLedger {
  valid checked breaks { kind source_system sequence detail collection key field } not_checked { what } } }`;
const EVENT = 'query($id: String!) { event(event_id: $id) { event_id sequence entry_hash outcome payload } }';
const LIST = 'query { events(limit: 50) { items { event_id sequence entry_hash outcome payload } } }';

let server: TestServer;
let database: Database;
let evidence: Evidence;
let ledger: LedgerProcess;

beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('type-fuzz');
  evidence = await openEvidence(database, { segmentRecords: 10 });
  for (let from = 0; from < 18; from += 6) {
    await evidence.events(TENANT, 6, 'um-core', from);
    await evidence.checkpoint(TENANT);
    evidence.clock.advance(HOUR_MS);
  }
  await evidence.seal(TENANT);
  await evidence.checkpoint(TENANT);
  evidence.clock.advance(HOUR_MS);
  ledger = await startLedger(database, { clock: evidence.clock, signingKeys: evidence.keys, segmentRecords: 10 });
});

afterAll(async () => {
  await ledger.close();
  await evidence.close();
  await server.stop();
});

const inLedger = (name: string): Collection<Document> => database.db.collection(name);
const inWorm = (name: string): Collection<Document> =>
  database.connection.getClient().db(`${database.db.databaseName}_worm`).collection(name);

interface Verdict {
  readonly valid: boolean;
  readonly breaks: readonly Document[];
}

const verify = async (): Promise<Verdict> => (await ledger.run(VERIFY, {}, TENANT)).verifyLedger;

/** The answer, or the code of the failure. */
async function answered(operation: string, variables: object = {}): Promise<unknown> {
  try {
    return await ledger.run(operation, { ...variables }, TENANT);
  } catch (error) {
    const { code, message } = error as GraphFault;
    return code === 'UNKNOWN' ? `UNKNOWN: ${message}` : code;
  }
}

async function twoRows(rows: Collection<Document>, filter: Document): Promise<readonly [Document, Document]> {
  const [row, other] = await rows.find(filter).sort({ _id: 1 }).limit(2).toArray();
  if (!row || !other) throw new Error('too few rows');
  return [row, other];
}

/** Fields that are not evidential, and why. */
const NOT_EVIDENTIAL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ledger: {},
  ledger_tree: {},
  ledger_checkpoints: {
    pending: 'effects that wait, which the outbox performs',
    witnesses: 'names for lists; the note holds the cosignatures',
    published_at: 'the note has no time; a value of another type is named',
  },
  worm_segments: {
    quarter: 'a part of the name',
    number: 'a part of the name',
    size_bytes: 'room for writers; a value of another type is named',
    max_records: 'room for writers; a value of another type is named',
    reserved_records: 'room for writers; a value of another type is named',
    reserved_bytes: 'room for writers; a value of another type is named',
    indexed: 'the index is rebuilt',
    opened_at: 'a date for the operator',
    full_at: 'a date for the operator',
    dropped_at: 'a date for the operator',
    state: 'the entry of the ledger says what is sealed; a word of another kind is named',
  },
};

/** Harms one field after another. Each must be named, and no read may fail without a name. */
async function eachNamed(collection: string, rows: Collection<Document>, filter: Document, check = async () => {}) {
  const [row, other] = await twoRows(rows, filter);
  const skipped = NOT_EVIDENTIAL[collection] ?? {};
  for (const harm of sampled(harmsOf(row, other), ROUNDS, SEED)) {
    await whileHarmed(rows, row, harm, async () => {
      const where = { collection, path: harm.path, name: harm.name };
      const verdict = await verify().catch((error: GraphFault) => ({ failed: `${error.code}: ${error.message}` }));
      if ('failed' in verdict) expect({ ...where, verdict }).toEqual({ ...where, verdict: 'an answer' });
      else if (skipped[harm.path.split('.')[0] ?? ''] === undefined) {
        expect({ ...where, valid: verdict.valid, named: verdict.breaks.length > 0 }).toEqual({
          ...where,
          valid: false,
          named: true,
        });
      }
      await check();
    });
  }
  expect(await verify()).toMatchObject({ valid: true, breaks: [] });
}

describe('verification over rows of wrong types', () => {
  it('is valid before', async () => {
    expect(await verify()).toMatchObject({ valid: true, breaks: [] });
  });

  it('names each field of an entry, and no read shows another content', async () => {
    const rows = inLedger('ledger');
    const filter = { '_id.tenant_id': TENANT, '_id.source_system': 'um-core' };
    const [row] = await twoRows(rows, filter);
    const sound = await answered(EVENT, { id: row['event_id'] });
    const soundItems = ((await ledger.run(LIST, {}, TENANT)) as Document)['events'].items.map(
      String.call,
      JSON.stringify,
    );
    expect(soundItems).toHaveLength(18);
    await eachNamed('ledger', rows, filter, async () => {
      // A row with another identifier is another row, or none.
      const read = await answered(EVENT, { id: row['event_id'] });
      expect([JSON.stringify(sound), '{"event":null}', '"INTEGRITY_FAILURE"']).toContain(JSON.stringify(read));
      const list = await answered(LIST);
      expect(typeof list === 'string' ? list : 'items').toMatch(/^(items|INTEGRITY_FAILURE|DISPOSED)$/);
    });
  });

  it('names each field of a leaf of the tree', async () => {
    await eachNamed('ledger_tree', inLedger('ledger_tree'), { '_id.tenant_id': TENANT });
  });

  it('names each field of a checkpoint', async () => {
    await eachNamed('ledger_checkpoints', inLedger('ledger_checkpoints'), { tenant_id: TENANT, number: { $lt: 3 } });
  });

  it('names each field of a sealed segment', async () => {
    await eachNamed('worm_segments', inWorm('worm_segments'), { log_id: evidenceLogId(TENANT), state: 'SEALED' });
  });

  it('names each field of a record in a segment', async () => {
    const [segment] = await twoRows(inWorm('worm_segments'), { log_id: evidenceLogId(TENANT), state: 'SEALED' });
    await eachNamed('segment', inWorm(String(segment['_id'])), {});
  });

  it('passes an index that holds anything', async () => {
    const rows = inWorm('worm_index');
    const [row, other] = await twoRows(rows, { '_id.tenant_id': TENANT });
    for (const harm of sampled(harmsOf(row, other), 20, SEED)) {
      await whileHarmed(rows, row, harm, async () => {
        expect({ ...harm, ...(await verify()) }).toMatchObject({ ...harm, valid: true });
      });
    }
  });
});
