import { inflate } from 'node:zlib';
import { nextTurn } from '../../../../shared/clock/timers.js';
import type { EngineFinding } from '../ports.js';
import { ArchiveBomb, type UnpackBudget } from './unpacking.js';

// Active content of PDFs (ISO 32000-1 sections 7.3.5 names, 7.5.7 object streams, 12.6 actions). Searches the raw bytes
// and the object streams, which hold the compressed objects of most PDFs.

const NAMES = [
  ['JavaScript', 'PDF_JAVASCRIPT', 'The PDF holds a script.'],
  ['Launch', 'PDF_ACTION', 'The PDF starts a program.'],
  ['SubmitForm', 'PDF_ACTION', 'The PDF submits form data.'],
  ['ImportData', 'PDF_ACTION', 'The PDF reads another file.'],
  ['GoToE', 'PDF_ACTION', 'The PDF opens a file embedded in it.'],
  ['RichMedia', 'PDF_ACTION', 'The PDF plays embedded media.'],
  // The only action other than /JavaScript that may hold a script (ISO 32000-1 section 12.6.4.13).
  ['Rendition', 'PDF_ACTION', 'The PDF plays embedded media.'],
  ['XFA', 'PDF_XFA', 'The PDF holds an XFA form, which may run scripts.'],
  ['EmbeddedFile', 'PDF_EMBEDDED_FILE', 'The PDF holds another file.'],
  ['Encrypt', 'PDF_ENCRYPTED', 'The PDF is encrypted, so its behaviour is unknown.'],
] as const;

const WANTED = new Set<string>([...NAMES.map(([name]) => name), 'EmbeddedFiles', 'ObjStm']);
/** A name with hexadecimal escapes, which no ordinary writer needs for a letter. */
const ESCAPED_NAME = /\/[A-Za-z0-9]*#[0-9A-Fa-f]{2}[A-Za-z0-9#]*/g;
const DELIMITER = /^[\s()<>[\]{}/%]?$/;

const OBJECT_STREAM = '/ObjStm';
/** Longest distance between the name and the data of an object stream: the rest of its dictionary. */
const DICTIONARY_BYTES = 4_096;
const MOST_PACKED_BYTES = 33_554_432;
const MOST_UNPACKED_BYTES = 67_108_864;
/** Limit of object streams opened in one PDF; ordinary PDFs have some thousands. */
const MOST_OBJECT_STREAMS = 50_000;
/** Longer than any name searched for. */
const SEAM_BYTES = 128;
/** Searched in one go; other work runs between slices. */
const SLICE_BYTES = 1_048_576;
const inflated = (packed: Buffer, maxOutputLength: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    inflate(packed, { maxOutputLength }, (error, bytes) => (error ? reject(error) : resolve(bytes)));
  });

/** Searches a PDF that comes in pieces. Holds two pieces and one object stream in memory. */
export class PdfSearch {
  readonly #budget: UnpackBudget;
  readonly #findings = new Map<string, EngineFinding>();
  /** The end of the searched bytes: a name may continue in the next piece. */
  #seam: Buffer = Buffer.alloc(0);
  /** Bytes from the first incomplete object stream on. */
  #held: Buffer = Buffer.alloc(0);
  #objectStreams = 0;

  /** @param budget limit of unpacked bytes, shared with an enclosing archive */
  constructor(budget: UnpackBudget) {
    this.#budget = budget;
  }

  /** @throws ArchiveBomb */
  async push(piece: Buffer): Promise<void> {
    const bytes = this.#seam.length === 0 ? piece : Buffer.concat([this.#seam, piece]);
    await this.#lookThrough(bytes, false);
    this.#seam = Buffer.from(bytes.subarray(Math.max(0, bytes.length - SEAM_BYTES)));
    const open = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    this.#held = Buffer.from(open.subarray(await this.#unpack(open, false)));
  }

  /** @throws ArchiveBomb */
  async end(): Promise<EngineFinding[]> {
    this.#lookIn(this.#seam, true);
    await this.#unpack(this.#held, true);
    return [...this.#findings.values()];
  }

  async #lookThrough(bytes: Buffer, isWhole: boolean): Promise<void> {
    for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
      const to = from + SLICE_BYTES + SEAM_BYTES;
      this.#lookIn(bytes.subarray(from, to), isWhole && to >= bytes.length);
      if (to < bytes.length) await nextTurn();
    }
  }

  #lookIn(bytes: Buffer, isWhole: boolean): void {
    for (const [name, code, detail] of NAMES) if (holdsName(bytes, name, isWhole)) this.#add(code, detail);
    if (!bytes.includes(0x23)) return;
    for (const [escaped] of bytes.toString('latin1').matchAll(ESCAPED_NAME)) {
      const name = escaped
        .slice(1)
        .replace(/#([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
      if (WANTED.has(name)) this.#add('PDF_OBFUSCATED', 'The PDF obscures the name of an action.');
    }
  }

  #add(code: string, detail: string): void {
    if (!this.#findings.has(code)) this.#findings.set(code, { code, detail });
  }

  /**
   * Searches complete object streams.
   *
   * @returns the offset from which the bytes are still needed
   */
  async #unpack(bytes: Buffer, isEnd: boolean): Promise<number> {
    let from = 0;
    for (;;) {
      const named = bytes.indexOf(OBJECT_STREAM, from, 'latin1');
      if (named < 0 || this.#objectStreams >= MOST_OBJECT_STREAMS) return Math.max(from, bytes.length - SEAM_BYTES);
      const start = dataStart(bytes, named);
      if (start === null && !isEnd && bytes.length - named <= DICTIONARY_BYTES) return named;
      const end = start === null ? -1 : bytes.indexOf('endstream', start, 'latin1');
      if (start !== null && end < 0 && !isEnd && bytes.length - named < MOST_PACKED_BYTES) return named;
      this.#objectStreams++;
      if (this.#objectStreams === MOST_OBJECT_STREAMS) this.#add(...NOT_OPENED);
      if (start === null) {
        from = named + OBJECT_STREAM.length;
        continue;
      }
      await this.#unpackOne(bytes.subarray(named, start), bytes.subarray(start, end < 0 ? bytes.length : end));
      from = end < 0 ? bytes.length : end;
    }
  }

  async #unpackOne(dictionary: Buffer, packed: Buffer): Promise<void> {
    try {
      const bytes = await inflated(packed, MOST_UNPACKED_BYTES);
      this.#budget.add(bytes.length);
      await this.#lookThrough(bytes, true);
    } catch (error) {
      if (error instanceof ArchiveBomb) throw error;
      // Another filter, a predictor, damage or a bomb: the content is unknown. Uncompressed text is read as it is.
      if (!dictionary.includes('/Filter')) await this.#lookThrough(packed, true);
      else this.#add(...NOT_OPENED);
    }
  }
}

const NOT_OPENED = ['PDF_UNREADABLE', 'A part of the PDF could not be opened, so its behaviour is unknown.'] as const;

/** Returns where the data of the stream begins, or null if that is not in these bytes. */
function dataStart(bytes: Buffer, named: number): number | null {
  const window = bytes.subarray(named, named + DICTIONARY_BYTES).toString('latin1');
  const keyword = />>\s*stream(\r\n|\n)/.exec(window);
  return keyword === null ? null : named + keyword.index + keyword[0].length;
}

/** @param isWhole whether nothing follows; otherwise a name at the very end is checked with the next piece */
function holdsName(bytes: Buffer, name: string, isWhole: boolean): boolean {
  const wanted = `/${name}`;
  for (let at = bytes.indexOf(wanted, 0, 'latin1'); at >= 0; at = bytes.indexOf(wanted, at + 1, 'latin1')) {
    const after = bytes.subarray(at + wanted.length, at + wanted.length + 1).toString('latin1');
    if (after === '' && !isWhole) continue;
    if (DELIMITER.test(after) || (name === 'EmbeddedFile' && after === 's')) return true;
  }
  return false;
}
