import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Binary, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { BufferPool, FrameReader } from '../../wire/frame-reader.js';
import { seeded } from '../seeded.js';
import { startTestServer, type TestServer } from '../test-server.js';

function messageOf(length: number, fill: number): Buffer {
  const message = Buffer.alloc(length, fill);
  message.writeInt32LE(length, 0);
  return message;
}

describe('frames', () => {
  it('are complete for every split of the stream, also in reused buffers', () => {
    const random = seeded(7);
    const messages = Array.from({ length: 120 }, (_, i) =>
      messageOf(16 + Math.floor(random() ** 4 * 400_000), (i % 250) + 1),
    );
    const stream = Buffer.concat(messages);
    const reader = new FrameReader();
    const waiting: Buffer[] = [];
    let next = 0;
    for (let at = 0; at < stream.length; ) {
      const end = Math.min(stream.length, at + 1 + Math.floor(random() * 90_000));
      waiting.push(...reader.push(Buffer.from(stream.subarray(at, end))));
      at = end;
      // Some are answered late: their bytes must not change while others come.
      while (waiting.length > Math.floor(random() * 4)) {
        const message = waiting.shift() as Buffer;
        expect(message.equals(messages[next++] as Buffer)).toBe(true);
        reader.release(message);
      }
    }
    for (const message of waiting) expect(message.equals(messages[next++] as Buffer)).toBe(true);
    expect(next).toBe(messages.length);
  });

  it('never share a buffer while it is in use', () => {
    const pool = new BufferPool();
    const first = pool.take(100_000);
    const second = pool.take(100_000);
    expect(first).not.toBe(second);
    pool.giveBack(first);
    expect(pool.take(90_000)).toBe(first);
    expect(pool.take(90_000)).not.toBe(first);
  });
});

describe('reads', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  it('by a unique key return the results of a full scan, for values of every type', async () => {
    const values = [
      ...[new Int32(5), new Double(5.5), Long.fromNumber(2 ** 40), Decimal128.fromString('7.25'), 'text', 'te\0xt', ''],
      ...[true, false, new Date(0), new ObjectId(), new Binary(Buffer.from([1, 2])), new Timestamp({ t: 1, i: 2 })],
      ...[new MinKey(), new MaxKey(), null, { a: 1, b: 2 }, [1, 2], 'x'.repeat(3_000)],
    ];
    const collection = server.db().collection('unique_keys');
    await collection.createIndex({ k: 1 }, { unique: true });
    await collection.insertMany(values.map((k, n) => ({ _id: n as never, k })));
    const others = [5, 7.25, 8, 'text2', 'x'.repeat(2_999), undefined];
    for (const k of [...values, ...others]) {
      const filter = { k: k as never };
      const found = await collection.find(filter).toArray();
      expect(found).toEqual(await collection.find(filter).hint({ $natural: 1 }).toArray());
    }
  });

  it('of large documents arrive in bounded batches, complete and unchanged', async () => {
    const db = server.db();
    const collection = db.collection('large', { promoteBuffers: true });
    const bytesOf = (n: number) => Buffer.alloc(300_000, n + 1);
    await collection.insertMany(Array.from({ length: 40 }, (_, n) => ({ _id: n as never, bytes: bytesOf(n) })));
    const first = await db.command({ find: 'large' });
    expect(first['cursor'].firstBatch.length).toBeLessThan(10);
    const [up, down] = await Promise.all([collection.find().toArray(), collection.find().sort({ _id: -1 }).toArray()]);
    const whole = ({ _id, bytes }: Record<string, unknown>) => bytesOf(Number(_id)).equals(bytes as Buffer);
    expect(up.map(({ _id }) => Number(_id))).toEqual(Array.from({ length: 40 }, (_, n) => n));
    expect(down.map(({ _id }) => Number(_id))).toEqual(Array.from({ length: 40 }, (_, n) => 39 - n));
    expect([...up, ...down].every(whole)).toBe(true);
    const asked = await db.command({ find: 'large', batchSize: 40, singleBatch: true });
    expect(asked['cursor'].firstBatch).toHaveLength(40);
  });

  it('find no entry of a rejected document', async () => {
    const db = server.db();
    const collection = db.collection('refused');
    await collection.createIndex({ a: 1 }, { unique: true });
    await collection.createIndex({ tags: 1 }, { unique: true });
    await collection.createIndex({ b: 1 });
    await collection.insertOne({ _id: 1 as never, a: 1, tags: ['x', 'y'], b: 1 });
    const refused = [
      { _id: 1, a: 2, tags: ['p'], b: 2 },
      { _id: 2, a: 1, tags: ['p'], b: 2 },
      { _id: 2, a: 2, tags: ['p', 'q', 'y'], b: 2 },
    ];
    for (const document of refused) await expect(collection.insertOne(document as never)).rejects.toThrow('E11000');
    expect((await db.command({ validate: 'refused' }))['valid']).toBe(true);
    await collection.insertOne({ _id: 2 as never, a: 2, tags: ['p', 'q'], b: 2 });
    expect(await collection.countDocuments()).toBe(2);
    expect((await db.command({ validate: 'refused' }))['valid']).toBe(true);
  });

  it('find a changed document by its new values in every kind of index', async () => {
    const db = server.db();
    const collection = db.collection('changed');
    await collection.createIndex({ 'a.b': 1, c: -1 });
    await collection.createIndex({ d: 1 }, { partialFilterExpression: { open: true } });
    await collection.createIndex({ e: 1 }, { sparse: true });
    await collection.createIndex({ words: 'text' });
    await collection.insertOne({ _id: 1 as never, a: { b: 1 }, c: 1, d: 1, open: true, e: 1, words: 'first' });
    const changes = [
      { $set: { 'a.b': 2 } },
      { $set: { open: false } },
      { $set: { open: true, other: 1 } },
      { $unset: { e: 1 } },
      { $set: { words: 'second', a: [{ b: 3 }, { b: 4 }] } },
      { $set: { other: 2 } },
    ];
    for (const change of changes) {
      await collection.updateOne({ _id: 1 as never }, change);
      expect((await db.command({ validate: 'changed' }))['valid']).toBe(true);
    }
    expect(await collection.countDocuments({ 'a.b': 4 })).toBe(1);
    expect(await collection.countDocuments({ $text: { $search: 'second' } })).toBe(1);
  });
});
