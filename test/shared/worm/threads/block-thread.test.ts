import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sha256Hex } from '../../../../shared/crypto/hash.js';
import { asProblem } from '../../../../shared/errors/unexpected.js';
import { GridFsBlobs } from '../../../../shared/worm/blobs/gridfs-blobs.js';
import { wormDatabase } from '../../../../shared/worm/kept-worm-store.js';
import { BlockThread } from '../../../../shared/worm/threads/block-thread.js';
import { startTestServer, type TestServer } from '../../../support/database.js';
import { ManualClock } from '../../../support/fakes.js';

const MIB = 1_048_576;

let server: TestServer;
let thread: BlockThread;
let direct: GridFsBlobs;

beforeAll(async () => {
  server = await startTestServer();
  const database = await server.connect('blocks');
  const db = wormDatabase(database);
  direct = new GridFsBlobs(db, db, new ManualClock());
  await direct.prepare();
  thread = new BlockThread({ uri: database.uri, database: db.databaseName, epochKeys: null });
});

afterAll(async () => {
  await thread.close();
  await server.stop();
});

async function writeAll(fileId: string, blocks: readonly Buffer[]): Promise<void> {
  const hashes = await Promise.all(
    blocks.map((block, n) => {
      const room = thread.room();
      block.copy(room);
      return thread.write(fileId, n, room.subarray(0, block.length));
    }),
  );
  expect(hashes).toEqual(blocks.map(sha256Hex));
}

async function readAll(blocks: AsyncIterable<{ readonly n: number; readonly data: Buffer }>): Promise<string[]> {
  const read: string[] = [];
  for await (const { n, data } of blocks) read[n] = data.toString('base64');
  return read;
}

const someBlocks = (count: number): Buffer[] => [
  ...Array.from({ length: count - 1 }, () => randomBytes(MIB)),
  randomBytes(777),
];

it('stores blocks as GridFS does, and reads the same bytes', async () => {
  const blocks = someBlocks(20);
  await writeAll('blb_a', blocks);
  const wanted = blocks.map((block) => block.toString('base64'));
  expect(await readAll(direct.blocks('blb_a', 0, 19))).toEqual(wanted);
  expect(await readAll(thread.read('blb_a', 0, 19))).toEqual(wanted);
  expect((await readAll(thread.read('blb_a', 7, 9))).slice(7)).toEqual(wanted.slice(7, 10));
  expect(await readAll(thread.read('blb_none', 0, 19))).toEqual([]);
});

it('reuses only the memory that the reader returned', async () => {
  const blocks = someBlocks(30);
  await writeAll('blb_b', blocks);
  const kept: Buffer[] = [];
  for await (const { n, data } of thread.read('blb_b', 0, 29)) {
    expect(data.equals(blocks[n] ?? Buffer.alloc(0))).toBe(true);
    if (n % 2 === 0) thread.giveBack(data);
    else kept.push(data);
  }
  expect(kept.every((data, i) => data.equals(blocks[2 * i + 1] ?? Buffer.alloc(0)))).toBe(true);
  expect(kept).toHaveLength(15);
});

it('fails pending work as an unreachable database when the thread exits, and starts another for the next work', async () => {
  const blocks = someBlocks(40);
  await writeAll('blb_c', blocks);
  const reading = thread.read('blb_c', 0, 39);
  await reading.next();
  const writing = thread.write('blb_d', 0, thread.room());
  const failed = writing.then(
    () => null,
    (error: unknown) => asProblem(error).code,
  );
  await thread.close();
  expect([null, 'UNAVAILABLE']).toContain(await failed);
  const rest = readAll({ [Symbol.asyncIterator]: () => reading }).catch((error: unknown) => asProblem(error).code);
  expect(await rest).toBe('UNAVAILABLE');
  expect(await readAll(thread.read('blb_c', 0, 39))).toHaveLength(40);
});

it('keeps the name of a database error', async () => {
  const lost = new BlockThread({
    uri: 'mongodb://user:wrong@127.0.0.1:1/?serverSelectionTimeoutMS=50',
    database: 'x',
    epochKeys: null,
  });
  try {
    const failed = await lost.write('blb_e', 0, lost.room()).catch((error: unknown) => asProblem(error));
    expect(failed).toMatchObject({ code: 'UNAVAILABLE' });
    expect(String((failed as Error).message)).not.toContain('wrong');
  } finally {
    await lost.close();
  }
});
