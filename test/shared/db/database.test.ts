import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import { pageOf } from '../../../shared/pagination/cursor.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { seeded } from '../../support/random.js';

const SEED = 20260302;

let server: TestServer;
let database: Database;

beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect(`shared-${process.pid}`);
});

afterAll(async () => {
  await server.stop();
});

const errorOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('the write went through');
};

describe('the driver’s error for a duplicate key', () => {
  interface Row {
    readonly _id: number;
    readonly tenant_id: string;
    readonly duplicate_key: string;
  }
  const row = (id: number, key: string): Row => ({ _id: id, tenant_id: 'acme', duplicate_key: key });

  it('names the violated index and the place in the batch, for each kind of write', async () => {
    const rows = database.db.collection<Row>('rows');
    await rows.createIndex({ tenant_id: 1, duplicate_key: 1 }, { unique: true });
    await rows.insertMany([row(1, 'a'), row(2, 'b')], { writeConcern: DURABLE });

    const refused = async (work: Promise<unknown>) => duplicateKeyOf(await errorOf(work));
    const byKey = ['tenant_id', 'duplicate_key'];
    expect(await refused(rows.insertOne(row(3, 'a')))).toEqual({ fields: byKey, documentIndex: 0 });
    expect(await refused(rows.insertOne(row(1, 'c')))).toEqual({ fields: ['_id'], documentIndex: 0 });
    expect(await refused(rows.insertMany([row(3, 'c'), row(4, 'b'), row(5, 'd')], { ordered: true }))).toEqual({
      fields: byKey,
      documentIndex: 1,
    });
    expect(await refused(rows.insertMany([row(6, 'e'), row(7, 'f'), row(2, 'g')], { ordered: true }))).toEqual({
      fields: ['_id'],
      documentIndex: 2,
    });
    const change = rows.findOneAndUpdate({ _id: 1 }, { $set: { duplicate_key: 'b' } });
    expect(await refused(change)).toMatchObject({ fields: byKey });
    expect((await rows.find({}).sort({ _id: 1 }).toArray()).map(({ _id }) => _id)).toEqual([1, 2, 3, 6, 7]);
  });
});

describe('a list in pages', () => {
  interface Item {
    readonly _id: string;
    readonly created_at: Date;
  }

  it.each(['asc', 'desc'] as const)(
    'returns every row once, in order, %s, with many rows of one time and rows that arrive in between',
    async (order) => {
      const random = seeded(SEED);
      const items = database.db.collection<Item>(`items_${order}`);
      const fresh = (n: number): Item => ({
        _id: `id-${String(Math.floor(random() * 1e9)).padStart(9, '0')}-${n}`,
        created_at: new Date(1_000 + Math.floor(random() * 5)),
      });
      const first = Array.from({ length: 60 }, (_, n) => fresh(n));
      await items.insertMany(first);
      const seen: Item[] = [];
      let cursor: string | undefined;
      let added = 60;
      do {
        const query = keysetQuery('created_at', { limit: 7, order, cursor });
        const rows = await items.find(query.filter).sort(query.sort).limit(query.fetch).toArray();
        const page = pageOf(rows, 7, (row) => ({ atMs: row.created_at.getTime(), id: row._id }));
        seen.push(...page.items);
        cursor = page.next_cursor ?? undefined;
        await items.insertOne(fresh(added++));
      } while (cursor !== undefined);
      const keys = seen.map((row) => `${row.created_at.getTime()} ${row._id}`);
      expect([...keys].sort()).toEqual(order === 'asc' ? keys : keys.toReversed());
      expect(new Set(keys).size).toBe(keys.length);
      const shown = new Set(seen.map((row) => row._id));
      expect(first.filter((row) => !shown.has(row._id))).toEqual([]);
    },
  );

  it('returns only rows of its time window', async () => {
    const items = database.db.collection<Item>('items_window');
    await items.insertMany([1, 2, 3, 4].map((ms) => ({ _id: `id-${ms}`, created_at: new Date(ms) })));
    const query = keysetQuery('created_at', { limit: 10, order: 'asc', fromMs: 2, toMs: 4 });
    const rows = await items.find(query.filter).sort(query.sort).limit(query.fetch).toArray();
    expect(rows.map((row) => row._id)).toEqual(['id-2', 'id-3']);
  });
});
