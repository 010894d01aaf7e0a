import { errorCodeOf } from '../../../../shared/errors/error-code.js';
import type { EngineFinding, ScanEngine, ScannedContent } from '../ports.js';
import { Blocks } from './blocks.js';
import { ContentSearch } from './content-search.js';
import { typeFindings } from './declared-type.js';
import { type ContentKind, HEAD_BYTES, isClosedArchive, kindOf } from './magic.js';
import { ArchiveBomb, UnpackBudget, unpacked } from './unpacking.js';
import { zipFindings } from './zip-scan.js';

/** The checks that need no other service: the declared type against the bytes, and active content. */
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
    if (isClosedArchive(kind)) findings.push(notOpened(kind));
    return findings;
  },
});

const POLYGLOT = { code: 'POLYGLOT', detail: 'The content is of another kind, with an archive appended to it.' };
const BROKEN_ARCHIVE = {
  code: 'ARCHIVE_BROKEN',
  detail: 'The archive is damaged, so its content is unknown.',
};
const notOpened = (kind: ContentKind): EngineFinding => ({
  code: 'ARCHIVE_NOT_OPENED',
  detail: `Archives of this kind (${kind}) are not opened, so the content is unknown.`,
});

const BOMB = { code: 'ARCHIVE_BOMB', detail: 'The content unpacks to an excessive size.' };

/** Searches all bytes in one pass. */
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

/** A gzip file holds one file, or a tar archive that is not opened. */
async function gzipFindings(content: ScannedContent): Promise<EngineFinding[]> {
  const budget = new UnpackBudget(content.size);
  const search = new ContentSearch(budget);
  try {
    for await (const piece of unpacked(content.read(), 'gzip', budget)) await search.push(piece);
    return insideGzip(await search.end());
  } catch (error) {
    if (error instanceof ArchiveBomb) return [BOMB];
    if (errorCodeOf(error).startsWith('Z_')) return [BROKEN_ARCHIVE];
    throw error;
  }
}

function insideGzip({ kind, findings }: Awaited<ReturnType<ContentSearch['end']>>): EngineFinding[] {
  const inner = typeFindings(kind, { media_type: 'application/octet-stream', filename: 'content' });
  const isArchive = kind === 'zip' || kind === 'gzip' || isClosedArchive(kind);
  return [...inner, ...findings, ...(isArchive ? [notOpened(kind)] : [])];
}
