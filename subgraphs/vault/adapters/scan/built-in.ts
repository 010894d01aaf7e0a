import type { EngineFinding, ScanEngine, ScannedContent } from '../../service/ports/scan-engine.js';
import { Blocks } from './blocks.js';
import { ContentSearch } from './content-search.js';
import { typeFindings } from './declared-type.js';
import { CLOSED_ARCHIVE_KINDS, type ContentKind, HEAD_BYTES, kindOf } from './magic.js';
import { ArchiveBomb, UnpackBudget, unpacked } from './unpacking.js';
import { zipFindings } from './zip-scan.js';

/** The checks that need nobody else: what is declared against what is there, and what the file would do when opened. */
export const builtInEngine = (): ScanEngine => ({
  name: 'built-in',
  scan: async (content) => {
    const blocks = new Blocks(content);
    const kind = kindOf(await blocks.bytes(0, HEAD_BYTES));
    const findings = [...typeFindings(kind, content), ...(await readThrough(content))];
    const archive = await zipFindings(blocks);
    if (archive !== null) findings.push(...archive, ...(kind === 'zip' ? [] : [POLYGLOT]));
    if (kind === 'zip' && archive === null) findings.push(BROKEN_ARCHIVE);
    if (kind === 'gzip') findings.push(...(await gzipFindings(content)));
    if ((CLOSED_ARCHIVE_KINDS as readonly string[]).includes(kind)) findings.push(notOpened(kind));
    return findings;
  },
});

const POLYGLOT = { code: 'POLYGLOT', detail: 'An archive is hidden behind content of another kind.' };
const BROKEN_ARCHIVE = {
  code: 'ARCHIVE_BROKEN',
  detail: 'The archive is damaged, so it is not known what stands in it.',
};
const notOpened = (kind: ContentKind): EngineFinding => ({
  code: 'ARCHIVE_NOT_OPENED',
  detail: `Archives of this kind (${kind}) are not opened here, so it is not known what stands in it.`,
});

const BOMB = { code: 'ARCHIVE_BOMB', detail: 'The content unpacks to far more than an honest one.' };

/** One pass over all bytes. */
async function readThrough(content: ScannedContent): Promise<readonly EngineFinding[]> {
  const search = new ContentSearch(new UnpackBudget(content.size));
  try {
    for await (const piece of content.read()) await search.push(piece);
    return (await search.end()).findings;
  } catch (error) {
    if (error instanceof ArchiveBomb) return [BOMB];
    throw error;
  }
}

/** What a gzip file holds is one file, or a tape of them that is not opened. */
async function gzipFindings(content: ScannedContent): Promise<EngineFinding[]> {
  const budget = new UnpackBudget(content.size);
  const search = new ContentSearch(budget);
  try {
    for await (const piece of unpacked(content.read(), 'gzip', budget)) await search.push(piece);
    return insideGzip(await search.end());
  } catch (error) {
    if (error instanceof ArchiveBomb) return [BOMB];
    if (/^Z_/.test(String((error as { readonly code?: unknown }).code))) return [BROKEN_ARCHIVE];
    throw error;
  }
}

function insideGzip({ kind, findings }: Awaited<ReturnType<ContentSearch['end']>>): EngineFinding[] {
  const inner = typeFindings(kind, { media_type: 'application/octet-stream', filename: 'content' });
  const isArchive = kind === 'zip' || kind === 'gzip' || (CLOSED_ARCHIVE_KINDS as readonly string[]).includes(kind);
  return [...inner, ...findings, ...(isArchive ? [notOpened(kind)] : [])];
}
