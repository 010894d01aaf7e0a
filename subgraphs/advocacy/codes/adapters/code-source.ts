import { createHash } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { CodeFile } from '../ports.js';

const GZIP = Buffer.from([0x1f, 0x8b]);

/** Opens a code file, gzip or plain, and reads it twice: for its hash and line by line. Memory use is constant. */
export async function openCodeFile(path: string): Promise<CodeFile> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const [packed, { size: sizeBytes }] = await Promise.all([isPacked(path), stat(path)]);
  let reading: ReadStream | undefined;
  const opened = (): ReadStream => {
    reading = createReadStream(path);
    return reading;
  };
  const progress = () => [reading?.bytesRead ?? 0, sizeBytes] as const;
  return { sha256: hash.digest('hex'), lines: linesOf(opened, packed), progress };
}

async function isPacked(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.equals(GZIP);
  } finally {
    await file.close();
  }
}

async function* linesOf(opened: () => ReadStream, packed: boolean): AsyncGenerator<string> {
  const file = opened();
  if (!packed) {
    yield* createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY });
    return;
  }
  const unpacked = createGunzip();
  // An error in either stream ends both. Otherwise the reader would wait forever or accept a truncated file.
  const both = pipeline(file, unpacked);
  both.catch(() => {});
  yield* createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY });
  await both;
}
