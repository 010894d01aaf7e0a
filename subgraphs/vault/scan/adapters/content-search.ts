import type { EngineFinding } from '../ports.js';
import { ByteSearch, EICAR } from './byte-search.js';
import { type ContentKind, HEAD_BYTES, kindOf } from './magic.js';
import { PdfSearch } from './pdf-search.js';
import type { UnpackBudget } from './unpacking.js';

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

/** Byte patterns of active content, by kind. Streams of the old Office formats are named in UTF-16 (MS-CFB 2.6.1). */
const PATTERNS: Partial<Record<ContentKind, readonly (readonly [Buffer, EngineFinding])[]>> = {
  ole: [
    [utf16('_VBA_PROJECT'), { code: 'OFFICE_MACRO', detail: 'The Office file holds macros.' }],
    [
      utf16('\u0001Ole10Native'),
      { code: 'OFFICE_EMBEDDED_OBJECT', detail: 'The Office file holds an embedded object.' },
    ],
    [
      utf16('EncryptedPackage'),
      { code: 'OFFICE_ENCRYPTED', detail: 'The Office file is encrypted, so its behaviour is unknown.' },
    ],
  ],
  rtf: [[Buffer.from('\\objdata'), { code: 'OFFICE_EMBEDDED_OBJECT', detail: 'The RTF holds an embedded object.' }]],
};

/** Identifies and searches one content that comes in pieces: a document, or an entry of an archive. */
export class ContentSearch {
  readonly #malware = new ByteSearch([EICAR]);
  readonly #budget: UnpackBudget;
  #head: Buffer[] = [];
  #headBytes = 0;
  #known: KindSearch | null = null;

  constructor(budget: UnpackBudget) {
    this.#budget = budget;
  }

  /** Null until enough bytes have come. */
  get kind(): ContentKind | null {
    return this.#known?.kind ?? null;
  }

  /** @throws ArchiveBomb */
  async push(piece: Buffer): Promise<void> {
    this.#malware.push(piece);
    if (this.#known) return this.#known.push(piece);
    this.#head.push(piece);
    this.#headBytes += piece.length;
    if (this.#headBytes >= HEAD_BYTES) await this.#identify();
  }

  /** @throws ArchiveBomb */
  async end(): Promise<{ readonly kind: ContentKind; readonly findings: readonly EngineFinding[] }> {
    const known = this.#known ?? (await this.#identify());
    const malware = this.#malware.has(0) ? [{ code: 'MALWARE', detail: 'EICAR test file' }] : [];
    return { kind: known.kind, findings: [...malware, ...(await known.end())] };
  }

  async #identify(): Promise<KindSearch> {
    const head = Buffer.concat(this.#head);
    this.#head = [];
    const known = new KindSearch(kindOf(head), this.#budget);
    this.#known = known;
    await known.push(head);
    return known;
  }
}

/** Content of a known kind, searched for what this kind can do. */
class KindSearch {
  readonly kind: ContentKind;
  readonly #patterns: readonly (readonly [Buffer, EngineFinding])[];
  readonly #search: ByteSearch;
  readonly #pdf: PdfSearch | null;

  constructor(kind: ContentKind, budget: UnpackBudget) {
    this.kind = kind;
    this.#patterns = PATTERNS[kind] ?? [];
    this.#search = new ByteSearch(this.#patterns.map(([bytes]) => bytes));
    this.#pdf = kind === 'pdf' ? new PdfSearch(budget) : null;
  }

  async push(piece: Buffer): Promise<void> {
    this.#search.push(piece);
    await this.#pdf?.push(piece);
  }

  async end(): Promise<EngineFinding[]> {
    const findings = this.#patterns.flatMap(([, finding], i) => (this.#search.has(i) ? [finding] : []));
    return [...findings, ...((await this.#pdf?.end()) ?? [])];
  }
}
