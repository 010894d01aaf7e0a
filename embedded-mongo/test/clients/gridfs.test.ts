import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GridFSBucket, type ObjectId } from 'mongodb';
import { failureOf, startTestServer, type TestServer } from '../test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const SIZE_BYTES = 3 * 1024 * 1024 + 17;

/** Content that never repeats by chunk: each 32 bytes hash their position. */
function content(): Buffer {
  const blocks = Array.from({ length: Math.ceil(SIZE_BYTES / 32) }, (_, i) =>
    createHash('sha256').update(String(i)).digest(),
  );
  return Buffer.concat(blocks).subarray(0, SIZE_BYTES);
}

async function upload(bucket: GridFSBucket, bytes: Buffer): Promise<ObjectId> {
  const stream = bucket.openUploadStream('file.bin', { chunkSizeBytes: 255 * 1024 });
  await pipeline(Readable.from([bytes.subarray(0, 100), bytes.subarray(100)]), stream);
  return stream.id;
}

async function read(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

describe('GridFS', () => {
  it('returns stored files whole and by range, and deletes their chunks', async () => {
    const db = server.db();
    const bucket = new GridFSBucket(db);
    const bytes = content();
    const id = await upload(bucket, bytes);
    expect((await read(bucket.openDownloadStream(id))).equals(bytes)).toBe(true);
    const part = await read(bucket.openDownloadStream(id, { start: 300_000, end: 900_001 }));
    expect(part.equals(bytes.subarray(300_000, 900_001))).toBe(true);
    expect(await bucket.find({ filename: 'file.bin' }).toArray()).toMatchObject([{ length: SIZE_BYTES }]);
    await bucket.delete(id);
    expect(await db.collection('fs.chunks').countDocuments({})).toBe(0);
    expect(await failureOf(read(bucket.openDownloadStream(id)))).toMatchObject({ code: 'ENOENT' });
  });

  it('rejects a second chunk with the same number', async () => {
    const db = server.db();
    const id = await upload(new GridFSBucket(db), content());
    const [chunk] = await db.collection('fs.chunks').find({ files_id: id, n: 2 }).toArray();
    expect(await failureOf(db.collection('fs.chunks').insertOne({ files_id: id, n: chunk?.['n'] }))).toMatchObject({
      code: 11000,
    });
  });
});
