import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SIGNING_PURPOSES } from '../../shared/contracts/signing-keys.js';
import { sha256Hex } from '../../shared/crypto/hash.js';
import { StartRefused } from '../../shared/errors/start-refused.js';
import type { SignedTree } from '../../shared/signing/signer.js';
import { originParts } from '../domain/judge-checkpoint.js';

/** One signature: a line of `signatures.log`. */
const SignatureLine = z.object({
  n: z.int().positive(),
  at: z.string(),
  key_id: z.string(),
  purpose: z.enum(SIGNING_PURPOSES),
  /** Of the message. */
  sha256: z.string(),
  /** Of a checkpoint alone. */
  origin: z.string().exactOptional(),
  size: z.int().nonnegative().exactOptional(),
  root: z.string().exactOptional(),
  /** SHA-256 of the line before, without its line feed; 64 zeros before the first. */
  prev: z.string(),
});
type SignatureLine = z.infer<typeof SignatureLine>;
type NewSignature = Omit<SignatureLine, 'n' | 'prev'>;

const NAME = 'signatures.log';
const BEFORE_THE_FIRST = '0'.repeat(64);
const LINE_FEED = 0x0a;
const READ_BYTES = 1 << 20;

interface Waiting {
  readonly line: string;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * All signatures of this signer, one line each, chained by hashes; it only grows. The last note of each log is read from
 * it. A signature leaves the process after its line is on disk.
 */
export class SignatureLog {
  readonly #file: FileHandle;
  readonly #last = new Map<string, SignedTree>();
  /** The newest origin of each log. */
  readonly #newest = new Map<string, SignedTree>();
  #count = 0;
  #prev = BEFORE_THE_FIRST;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | null = null;
  /** A write that failed. The content on disk is then unknown: only a new start reads it. */
  #fault: unknown = null;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @throws StartRefused for a log that was altered or cut; a last line without its end was never answered and goes */
  static async open(folder: string): Promise<SignatureLog> {
    const path = join(folder, NAME);
    const file = await open(path, 'a+', 0o600);
    const log = new SignatureLog(file);
    try {
      await log.#replay(path);
    } catch (error) {
      await file.close();
      throw error;
    }
    return log;
  }

  /** False after a write that failed: the signer must be started again. */
  get isSound(): boolean {
    return this.#fault === null;
  }

  get count(): number {
    return this.#count;
  }

  last(origin: string): SignedTree | null {
    return this.#last.get(origin) ?? null;
  }

  /** The last note of the newest incarnation of a log. */
  newest(log: string): SignedTree | null {
    return this.#newest.get(log) ?? null;
  }

  /** Adds a line; lines that come together share one flush. Durable when it resolves. */
  add(signature: NewSignature): Promise<void> {
    if (this.#fault !== null) return Promise.reject(this.#fault);
    const line = JSON.stringify({ n: this.#count + 1, ...signature, prev: this.#prev } satisfies SignatureLine);
    this.#take(line, signature);
    return new Promise((done, failed) => {
      this.#waiting.push({ line, done, failed });
      this.#flushing ??= this.#flush();
    });
  }

  async close(): Promise<void> {
    await this.#flushing;
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        if (this.#fault !== null) throw this.#fault;
        await this.#file.appendFile(batch.map(({ line }) => `${line}\n`).join(''));
        await this.#file.sync();
        for (const { done } of batch) done();
      } catch (error) {
        this.#fault = error;
        for (const { failed } of batch) failed(error);
      }
    }
    this.#flushing = null;
  }

  #take(line: string, { origin, size, root, at }: NewSignature): void {
    this.#count += 1;
    this.#prev = sha256Hex(line);
    if (origin === undefined || size === undefined || root === undefined) return;
    const tree = { origin, size, root, signed_at: at };
    this.#last.set(origin, tree);
    const parts = originParts(origin);
    if (parts !== null) this.#newest.set(parts.log, tree);
  }

  async #replay(path: string): Promise<void> {
    let rest: Buffer = Buffer.alloc(0);
    let offset = 0;
    for (;;) {
      const { bytesRead, buffer } = await this.#file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, offset);
      if (bytesRead === 0) break;
      offset += bytesRead;
      const bytes: Buffer = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const end = bytes.lastIndexOf(LINE_FEED) + 1;
      for (const line of bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1)) this.#takeStored(path, line);
      rest = bytes.subarray(end);
    }
    if (rest.length > 0) await this.#file.truncate(offset - rest.length);
  }

  #takeStored(path: string, line: string): void {
    const signature = parsed(line);
    if (signature === null || signature.n !== this.#count + 1 || signature.prev !== this.#prev)
      throw new StartRefused(`${path} was altered or cut at line ${this.#count + 1}; restore the signer's folder`);
    this.#take(line, signature);
  }
}

function parsed(line: string): SignatureLine | null {
  try {
    return SignatureLine.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
