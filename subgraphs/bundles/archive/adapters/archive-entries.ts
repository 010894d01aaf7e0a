import type { ArchiveEntry } from '../../../../shared/zip/write-archive.js';
import type { SealedEntry } from '../ports.js';
import { ContentsAhead, type ReadContent } from './contents-ahead.js';
import { readDescriptor } from './spool.js';

/** Adds a way to read each entry. `close` ends reads started in advance. */
export function readableEntries(
  entries: readonly SealedEntry[],
  readStored: ReadContent,
): { readonly entries: readonly ArchiveEntry[]; readonly close: () => Promise<void> } {
  const stored: string[] = [];
  const readable = entries.map(({ path, size, content }): ArchiveEntry => {
    if (Buffer.isBuffer(content)) return { path, size, content };
    if ('descriptor' in content) return { path, size, content: () => readDescriptor(content.descriptor, size) };
    const n = stored.push(content.sha256) - 1;
    return { path, size, content: () => contents.read(n) };
  });
  const contents = new ContentsAhead(stored, readStored);
  return { entries: readable, close: () => contents.close() };
}
