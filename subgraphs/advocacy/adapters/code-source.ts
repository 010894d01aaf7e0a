import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { CodeFile } from '../service/ports/code-file.js';

const GZIP = Buffer.from([0x1f, 0x8b]);

/** A file of codes, packed by gzip or not, read twice: for its hash, and line by line. Memory does not grow with it. */
export async function openCodeFile(path: string): Promise<CodeFile> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return { sha256: hash.digest('hex'), lines: linesOf(path, await isPacked(path)) };
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

async function* linesOf(path: string, packed: boolean): AsyncGenerator<string> {
  const file = createReadStream(path);
  if (!packed) {
    yield* createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY });
    return;
  }
  const unpacked = createGunzip();
  // A fault of either ends both: their reader would otherwise wait for ever, or take a part for the whole.
  const both = pipeline(file, unpacked);
  both.catch(() => {});
  yield* createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY });
  await both;
}
