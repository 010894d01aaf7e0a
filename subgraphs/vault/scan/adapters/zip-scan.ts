import { errorCodeOf } from '../../../../shared/errors/error-code.js';
import {
  type ForeignEntry,
  ForeignZipFault,
  packedAt,
  zipDirectory,
} from '../../../../shared/zip/foreign-directory.js';
import { LOCAL_BYTES } from '../../../../shared/zip/records.js';
import type { EngineFinding } from '../ports.js';
import { Blocks, blocksOver } from './blocks.js';
import { ByteSearch } from './byte-search.js';
import { ContentSearch } from './content-search.js';
import { isRunByName } from './declared-type.js';
import { type ContentKind, isClosedArchive, isExecutable } from './magic.js';
import { ArchiveBomb, UnpackBudget, unpacked } from './unpacking.js';

const MOST_ENTRIES = 100_000;
const DEEPEST = 3;
/** Largest nested archive that is opened in memory. */
const MOST_INNER_BYTES = 33_554_432;
const STORED = 0;
const DEFLATED = 8;

const found = (code: string, detail: string): EngineFinding => ({ code, detail });

/** Active parts of Office files (ECMA-376; MS-OFFMACRO2). */
const OFFICE_PARTS: readonly (readonly [RegExp, EngineFinding])[] = [
  [/vba(Project|Data)[^/]*\.(bin|xml)$/i, found('OFFICE_MACRO', 'The Office file holds macros.')],
  [/(^|\/)macrosheets\//i, found('OFFICE_MACRO', 'The Office file holds macro sheets.')],
  [/(^|\/)activeX\//i, found('OFFICE_ACTIVEX', 'The Office file holds controls that run.')],
  [/(^|\/)embeddings\/[^/]*\.bin$/i, found('OFFICE_EMBEDDED_OBJECT', 'The Office file holds an embedded object.')],
  [/^(Basic|Scripts)\/.+/, found('OFFICE_MACRO', 'The OpenDocument file holds macros.')],
];
const MACRO_TYPE = Buffer.from('macroEnabled');
const REMOTE_TEMPLATE = Buffer.from('/attachedTemplate"');

/** Returns the findings in a ZIP, or null if these bytes are not a ZIP. */
export async function zipFindings(content: Blocks): Promise<readonly EngineFinding[] | null> {
  const findings = new Map<string, EngineFinding>();
  const walk = new ZipWalk(new UnpackBudget(content.size), (one) => findings.set(`${one.code} ${one.detail}`, one));
  const isArchive = await walk.archive(content, 1);
  return isArchive ? [...findings.values()] : null;
}

class ZipWalk {
  readonly #budget: UnpackBudget;
  readonly #report: (finding: EngineFinding) => void;

  constructor(budget: UnpackBudget, report: (finding: EngineFinding) => void) {
    this.#budget = budget;
    this.#report = report;
  }

  /** @returns whether these bytes are an archive */
  async archive(blocks: Blocks, depth: number): Promise<boolean> {
    try {
      const entries = await zipDirectory(blocks);
      if (entries === null) return false;
      this.#directory(entries, blocks.size);
      for (const entry of entries) await this.#entry(blocks, entry, depth);
    } catch (error) {
      if (error instanceof ArchiveBomb) {
        this.#report(found('ARCHIVE_BOMB', 'The archive unpacks to an excessive size.'));
      } else if (isBroken(error)) {
        this.#report(found('ARCHIVE_BROKEN', 'The archive is damaged, so its content is unknown.'));
      } else {
        throw error;
      }
    }
    return true;
  }

  /** @throws ArchiveBomb */
  #directory(entries: readonly ForeignEntry[], size: number): void {
    if (entries.length > MOST_ENTRIES) throw new ArchiveBomb('too many entries');
    const placed = entries.filter(({ packedBytes }) => packedBytes > 0).sort((a, b) => a.headerOffset - b.headerOffset);
    // Overlapping entries can unpack a small file to petabytes.
    for (const [i, { headerOffset, packedBytes }] of placed.entries()) {
      const next = placed[i + 1]?.headerOffset ?? size;
      if (headerOffset + LOCAL_BYTES + packedBytes > next) throw new ArchiveBomb('entries overlap');
    }
    if (entries.some(({ isEncrypted }) => isEncrypted)) {
      this.#report(found('ARCHIVE_ENCRYPTED', 'The archive is encrypted, so its content is unknown.'));
    }
    for (const { name } of entries) {
      for (const [part, finding] of OFFICE_PARTS) if (part.test(name)) this.#report(finding);
      if (isRunByName(name)) this.#report(found('EXECUTABLE_IN_ARCHIVE', 'The archive holds a program.'));
    }
  }

  async #entry(blocks: Blocks, entry: ForeignEntry, depth: number): Promise<void> {
    if (entry.isEncrypted || entry.packedBytes === 0) return;
    if (entry.method !== STORED && entry.method !== DEFLATED) {
      this.#report(found('ARCHIVE_NOT_OPENED', 'The archive uses a compression method that is not supported.'));
      return;
    }
    const start = await packedAt(blocks, entry);
    const packed = blocks.pieces(start, start + entry.packedBytes);
    const pieces = entry.method === STORED ? counted(packed, this.#budget) : unpacked(packed, 'raw', this.#budget);
    const inner = await this.#look(pieces);
    if (inner.kind === 'zip') await this.#inner(inner.bytes, depth);
  }

  async #inner(bytes: Buffer | null, depth: number): Promise<void> {
    if (bytes === null || depth >= DEEPEST) {
      this.#report(found('ARCHIVE_NESTED', 'An archive inside the archive was not opened.'));
      return;
    }
    await this.archive(blocksOver(bytes), depth + 1);
  }

  /**
   * Searches an entry.
   *
   * @returns its kind, and its bytes if it is an archive that can be opened
   */
  async #look(pieces: AsyncIterable<Buffer>): Promise<{ readonly kind: ContentKind; readonly bytes: Buffer | null }> {
    const parts = new ByteSearch([MACRO_TYPE, REMOTE_TEMPLATE]);
    const content = new ContentSearch(this.#budget);
    let held: Buffer[] | null = [];
    let heldBytes = 0;
    for await (const piece of pieces) {
      parts.push(piece);
      await content.push(piece);
      if (held === null) continue;
      held.push(piece);
      heldBytes += piece.length;
      const isKept = (content.kind === null || content.kind === 'zip') && heldBytes <= MOST_INNER_BYTES;
      if (!isKept) held = null;
    }
    const { kind, findings } = await content.end();
    for (const finding of findings) this.#report(finding);
    this.#reportParts(kind, parts);
    return { kind, bytes: kind === 'zip' && held !== null ? Buffer.concat(held) : null };
  }

  #reportParts(kind: ContentKind, parts: ByteSearch): void {
    if (parts.has(0)) this.#report(found('OFFICE_MACRO', 'The Office file holds macros.'));
    if (parts.has(1))
      this.#report(found('OFFICE_REMOTE_TEMPLATE', 'The Office file loads its template from elsewhere.'));
    // Scripts in archives are recognised by name: a text may begin with `#!` without being a script.
    if (isExecutable(kind) && kind !== 'script') {
      this.#report(found('EXECUTABLE_IN_ARCHIVE', 'The archive holds a program.'));
    }
    if (isClosedArchive(kind) || kind === 'gzip') {
      this.#report(found('ARCHIVE_NESTED', 'An archive inside the archive was not opened.'));
    }
  }
}

async function* counted(pieces: AsyncIterable<Buffer>, budget: UnpackBudget): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    budget.add(piece.length);
    yield piece;
  }
}

/** A directory that does not fit, or data that zlib cannot read. */
const isBroken = (error: unknown): boolean =>
  error instanceof ForeignZipFault || /^Z_|^ERR_(BUFFER|OUT_OF_RANGE)/.test(errorCodeOf(error));
