import { createHash, type Hash } from 'node:crypto';
import { read } from 'node:fs';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const FLUSH_CHARACTERS = 262_144;
const READ_BYTES = 1_048_576;
const readAt = promisify(read);

/** Size and hash of a spool. */
interface Spooled {
  readonly size: number;
  readonly sha256: string;
}

/**
 * A temporary file, written once and then read. Its name is removed on opening, so that a crash leaves nothing on the
 * disk.
 */
export class Spool {
  readonly #file: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #texts: string[] = [];
  #characters = 0;
  #size = 0;
  #done: Spooled | undefined;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @param name unique among the spools that are being opened */
  static async open(folder: string, name: string): Promise<Spool> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, name);
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    return new Spool(file);
  }

  async write(text: string): Promise<void> {
    this.#texts.push(text);
    this.#characters += text.length;
    if (this.#characters >= FLUSH_CHARACTERS) await this.#flush();
  }

  /** Ends writing. */
  async finish(): Promise<Spooled> {
    await this.#flush();
    this.#done ??= { size: this.#size, sha256: this.#hash.digest('hex') };
    return this.#done;
  }

  /** Reads from the beginning; may be repeated. */
  async *read(): AsyncGenerator<Buffer> {
    const { size } = await this.finish();
    yield* readDescriptor(this.descriptor, size);
  }

  get descriptor(): number {
    return this.#file.fd;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #flush(): Promise<void> {
    if (this.#texts.length === 0) return;
    const bytes = Buffer.from(this.#texts.join(''));
    this.#texts = [];
    this.#characters = 0;
    this.#hash.update(bytes);
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#size + at);
      at += bytesWritten;
    }
    this.#size += bytes.length;
  }
}

/** Reads the first `size` bytes of an open file. */
export async function* readDescriptor(descriptor: number, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const room = Buffer.allocUnsafe(Math.min(READ_BYTES, size - at));
    const { bytesRead } = await readAt(descriptor, room, 0, room.length, at);
    if (bytesRead === 0) throw new Error('a spool file was truncated');
    at += bytesRead;
    yield room.subarray(0, bytesRead);
  }
}

/** The spools of one build, closed together. */
export class Spools {
  readonly #folder: string;
  readonly #name: string;
  readonly #open: Spool[] = [];

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
  }

  async next(): Promise<Spool> {
    const spool = await Spool.open(this.#folder, `${this.#name}-${this.#open.length}.spool`);
    this.#open.push(spool);
    return spool;
  }

  async close(): Promise<void> {
    for (const spool of this.#open.splice(0)) await spool.close();
  }
}
