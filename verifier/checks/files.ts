import type { PlacedEntry } from '../../shared/zip/sealed-entries.js';
import { FULL_PROFILE, isEntryName, MANIFEST, MAP_FILES, SEALING, SIGNATURE } from '../archive/entry-names.js';
import type { EntryDigest } from '../archive/entry-reader.js';
import type { ManifestHead } from '../manifest/manifest-shape.js';
import type { Findings } from '../report.js';
import { printable } from './archive.js';
import type { BundleContext } from './context.js';

/** Entries that the manifest cannot list, in their order. */
const UNLISTED: readonly string[] = [MANIFEST, SIGNATURE, SEALING];

/** Returns `minimal` if the manifest lists no file that only the full profile has. */
export const profileOf = ({ files }: ManifestHead): 'full' | 'minimal' =>
  files.some(({ path }) => FULL_PROFILE.includes(path)) ? 'full' : 'minimal';

/** Checks that the archive holds exactly the listed files, in the listed order. */
export function checkListing({ findings, manifest, entries, profile }: BundleContext): void {
  const { files } = manifest.head;
  const unlisted = profile === 'full' ? UNLISTED : UNLISTED.filter((path) => path !== SEALING);
  const listed = new Set<string>();
  const hasMap = manifest.head.map !== undefined && manifest.head.logs !== undefined;
  if (profile === 'full' && !hasMap)
    findings.broken('map', 'MAP_MISSING', MANIFEST, 'a full bundle names its state map and its logs');
  for (const { path } of files) {
    const broken = (code: string, detail: string): void => findings.broken('files', code, printable(path), detail);
    if (MAP_FILES.includes(path) && manifest.head.map === undefined)
      broken('FILE_NAME', 'a file of a map, and the manifest names none');
    if (listed.has(path)) broken('FILE_LISTED_TWICE', 'the manifest lists the file twice');
    else if (!isEntryName(path) || UNLISTED.includes(path)) broken('FILE_NAME', 'no file that a bundle lists');
    else if (!entries.has(path)) broken('FILE_MISSING', 'listed, and not in the archive');
    listed.add(path);
  }
  for (const path of [
    'chain.tsv',
    'events.jsonl',
    ...(profile === 'full' ? FULL_PROFILE : []),
    ...(manifest.head.map ? MAP_FILES : []),
  ]) {
    if (!listed.has(path)) findings.broken('files', 'FILE_NOT_LISTED', path, 'the manifest does not list it');
  }
  for (const path of entries.keys()) {
    if (unlisted.includes(path) || listed.has(path)) continue;
    findings.broken('files', 'FILE_UNLISTED', printable(path), 'in the archive, and not listed in the manifest');
  }
  checkOrder(findings, [...unlisted, ...listed], [...entries.keys()]);
}

function checkOrder(findings: Findings, expected: readonly string[], found: readonly string[]): void {
  const known = new Set(found);
  const asked = new Set(expected);
  const wanted = expected.filter((path) => known.has(path));
  const given = found.filter((path) => asked.has(path));
  const at = given.findIndex((path, i) => path !== wanted[i]);
  if (at >= 0) findings.broken('archive', 'ZIP_ORDER', printable(given[at] ?? ''), "not in the manifest's order");
}

/** Compares the digest of an entry with the manifest and with the archive's CRC. */
export function checkDigest(context: BundleContext, entry: PlacedEntry, { sha256, crc }: EntryDigest): void {
  const { findings, listed: files } = context;
  if (crc !== entry.crc)
    findings.broken('archive', 'ZIP_CRC', printable(entry.name), 'the CRC is not that of the bytes');
  const listed = files.get(entry.name);
  if (listed === undefined) return;
  if (listed.size !== entry.size) {
    findings.broken('files', 'FILE_SIZE', printable(entry.name), `${entry.size} bytes, listed with ${listed.size}`);
  }
  if (listed.sha256 !== sha256) {
    findings.broken('files', 'FILE_HASH', printable(entry.name), `SHA-256 ${sha256}, listed with ${listed.sha256}`);
  }
}
