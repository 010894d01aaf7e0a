import { type ZipEntry, ZipFault } from '../../shared/zip/records.js';
import { readZipDirectory } from '../../shared/zip/sealed-directory.js';
import { type PlacedEntry, placeEntries } from '../../shared/zip/sealed-entries.js';
import { isEntryName } from '../archive/entry-names.js';
import type { Context } from './context.js';

/** Returns the archive's entries by name, or undefined if the archive cannot be read further. */
export async function openArchive({
  source,
  findings,
}: Context): Promise<ReadonlyMap<string, PlacedEntry> | undefined> {
  try {
    const directory = await readZipDirectory(source);
    let sound = true;
    const names = new Set<string>();
    for (const entry of directory.entries) {
      const fault = nameFault(entry, names);
      names.add(entry.name);
      if (fault === undefined) continue;
      sound = false;
      findings.broken('archive', fault.code, printable(entry.name), fault.message);
    }
    const placed = await placeEntries(source, directory);
    if (sound) findings.done('archive', `${placed.length} entries, stored, without a gap`);
    return new Map(placed.map((entry) => [entry.name, entry]));
  } catch (fault) {
    if (!(fault instanceof ZipFault)) throw fault;
    findings.broken('archive', fault.code, printable(fault.subject), fault.message);
    return undefined;
  }
}

function nameFault({ name }: ZipEntry, before: ReadonlySet<string>): ZipFault | undefined {
  if (before.has(name)) return new ZipFault('ZIP_DUPLICATE', name, 'a second entry of this name');
  if (!isEntryName(name)) return new ZipFault('ZIP_NAME', name, 'no name that a bundle has');
  return undefined;
}

/** Escapes a text of the archive, because its author is not trusted and it reaches a terminal or a page. */
export const printable = (text: string): string =>
  text
    .slice(0, 200)
    .replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
