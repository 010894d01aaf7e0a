import type { EngineFinding } from '../../service/ports/scan-engine.js';
import { Blocks, blocksOver } from './blocks.js';
import { ByteSearch } from './byte-search.js';
import { ContentSearch } from './content-search.js';
import { isExecutable, isRunByName } from './declared-type.js';
import { CLOSED_ARCHIVE_KINDS, type ContentKind } from './magic.js';
import { ArchiveBomb, UnpackBudget, unpacked } from './unpacking.js';
import { type ZipEntry, ZipFault, zipDirectory } from './zip-directory.js';

const MOST_ENTRIES = 100_000;
const DEEPEST = 3;
/** An archive inside an archive is opened in memory up to here. */
const MOST_INNER_BYTES = 33_554_432;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;

const found = (code: string, detail: string): EngineFinding => ({ code, detail });

/** Parts of Office files that act (ECMA-376; MS-OFFMACRO2). */
const OFFICE_PARTS: readonly (readonly [RegExp, EngineFinding])[] = [
  [/vba(Project|Data)[^/]*\.(bin|xml)$/i, found('OFFICE_MACRO', 'The Office file holds macros.')],
  [/(^|\/)macrosheets\//i, found('OFFICE_MACRO', 'The Office file holds macro sheets.')],
  [/(^|\/)activeX\//i, found('OFFICE_ACTIVEX', 'The Office file holds controls that run.')],
  [/(^|\/)embeddings\/[^/]*\.bin$/i, found('OFFICE_EMBEDDED_OBJECT', 'The Office file holds an embedded object.')],
  [/^(Basic|Scripts)\/.+/, found('OFFICE_MACRO', 'The OpenDocument file holds macros.')],
];
const MACRO_TYPE = Buffer.from('macroEnabled');
const REMOTE_TEMPLATE = Buffer.from('/attachedTemplate"');

/** Everything the built-in checks say of a ZIP; null where these bytes are none. */
export async function zipFindings(content: Blocks): Promise<readonly EngineFinding[] | null> {
  const findings = new Map<string, EngineFinding>();
  const walk = new ZipWalk(new UnpackBudget(content.size), (one) => findings.set(`${one.code} ${one.detail}`, one));
  const isArchive = await walk.archive(content, 1);
  return isArchive ? [...findings.values()] : null;
}

class ZipWalk {
  readonly #budget: UnpackBudget;
  readonly #tell: (finding: EngineFinding) => void;

  constructor(budget: UnpackBudget, tell: (finding: EngineFinding) => void) {
    this.#budget = budget;
    this.#tell = tell;
  }

  /** @returns whether there is an archive. */
  async archive(blocks: Blocks, depth: number): Promise<boolean> {
    try {
      const entries = await zipDirectory(blocks);
      if (entries === null) return false;
      this.#directory(entries, blocks.size);
      for (const entry of entries) await this.#entry(blocks, entry, depth);
    } catch (error) {
      if (error instanceof ArchiveBomb) {
        this.#tell(found('ARCHIVE_BOMB', 'The archive unpacks to far more than an honest one.'));
      } else if (isBroken(error)) {
        this.#tell(found('ARCHIVE_BROKEN', 'The archive is damaged, so it is not known what stands in it.'));
      } else {
        throw error;
      }
    }
    return true;
  }

  /** @throws ArchiveBomb */
  #directory(entries: readonly ZipEntry[], size: number): void {
    if (entries.length > MOST_ENTRIES) throw new ArchiveBomb('too many entries');
    const placed = entries.filter(({ packedBytes }) => packedBytes > 0).sort((a, b) => a.headerOffset - b.headerOffset);
    // Entries that share bytes are how a few of them unpack to petabytes.
    for (const [i, { headerOffset, packedBytes }] of placed.entries()) {
      const next = placed[i + 1]?.headerOffset ?? size;
      if (headerOffset + LOCAL_BYTES + packedBytes > next) throw new ArchiveBomb('entries overlap');
    }
    if (entries.some(({ isEncrypted }) => isEncrypted)) {
      this.#tell(found('ARCHIVE_ENCRYPTED', 'The archive is encrypted, so it is not known what stands in it.'));
    }
    for (const { name } of entries) {
      for (const [part, finding] of OFFICE_PARTS) if (part.test(name)) this.#tell(finding);
      if (isRunByName(name)) this.#tell(found('EXECUTABLE_IN_ARCHIVE', 'The archive holds a program.'));
    }
  }

  async #entry(blocks: Blocks, entry: ZipEntry, depth: number): Promise<void> {
    if (entry.isEncrypted || entry.packedBytes === 0) return;
    if (entry.method !== STORED && entry.method !== DEFLATED) {
      this.#tell(found('ARCHIVE_NOT_OPENED', 'The archive is packed in a way that is not opened here.'));
      return;
    }
    const local = await blocks.bytes(entry.headerOffset, entry.headerOffset + LOCAL_BYTES);
    if (local.length < LOCAL_BYTES || local.readUInt32LE(0) !== LOCAL) throw new ZipFault('an entry is missing');
    const start = entry.headerOffset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
    const packed = blocks.pieces(start, start + entry.packedBytes);
    const pieces = entry.method === STORED ? counted(packed, this.#budget) : unpacked(packed, 'raw', this.#budget);
    const inner = await this.#look(pieces);
    if (inner.kind === 'zip') await this.#inner(inner.bytes, depth);
  }

  async #inner(bytes: Buffer | null, depth: number): Promise<void> {
    if (bytes === null || depth >= DEEPEST) {
      this.#tell(found('ARCHIVE_NESTED', 'An archive inside the archive was not opened.'));
      return;
    }
    await this.archive(blocksOver(bytes), depth + 1);
  }

  /** Reads an entry to its end. @returns its kind, and its bytes where it is an archive that can be opened. */
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
    for (const finding of findings) this.#tell(finding);
    this.#tellOf(kind, parts);
    return { kind, bytes: kind === 'zip' && held !== null ? Buffer.concat(held) : null };
  }

  #tellOf(kind: ContentKind, parts: ByteSearch): void {
    if (parts.has(0)) this.#tell(found('OFFICE_MACRO', 'The Office file holds macros.'));
    if (parts.has(1)) this.#tell(found('OFFICE_REMOTE_TEMPLATE', 'The Office file loads its template from elsewhere.'));
    // Scripts in archives are told by their names: a text may begin with `#!` without being one.
    if (isExecutable(kind) && kind !== 'script') {
      this.#tell(found('EXECUTABLE_IN_ARCHIVE', 'The archive holds a program.'));
    }
    if ((CLOSED_ARCHIVE_KINDS as readonly string[]).includes(kind) || kind === 'gzip') {
      this.#tell(found('ARCHIVE_NESTED', 'An archive inside the archive was not opened.'));
    }
  }
}

async function* counted(pieces: AsyncIterable<Buffer>, budget: UnpackBudget): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    budget.add(piece.length);
    yield piece;
  }
}

/** A directory that does not fit, or what zlib cannot read. */
const isBroken = (error: unknown): boolean =>
  error instanceof ZipFault ||
  /^Z_|^ERR_(BUFFER|OUT_OF_RANGE)/.test(String((error as { readonly code?: unknown } | null)?.code));
