import { ed25519Sign } from '../../shared/crypto/ed25519.js';
import { seeded } from '../support/random.js';
import type { Case } from './cases.js';
import { KEY, purposeSpec, sealed, standardSpec } from './good-cases.js';
import { draftOf, listFiles, OTHER_SEED, signedEntries } from './make-bundle.js';
import { type WrittenEntry, type WrittenZip, writeZip } from './zip-writer.js';

/** Place of the first entry that the manifest lists. */
const LISTED = 3;

// A good bundle in an archive that was changed without the key.

type Tamper = (entries: WrittenEntry[]) => WrittenEntry[];

function good(): WrittenEntry[] {
  const draft = draftOf(standardSpec());
  listFiles(draft);
  return signedEntries(draft);
}

function tampered(name: string, code: string, tamper: Tamper, zip?: WrittenZip): Case {
  return { name: `archive: ${name}`, bundle: writeZip(tamper(good()), zip), verdict: 'INVALID', code, options: KEY };
}

const change =
  (at: number, entry: Partial<WrittenEntry>): Tamper =>
  (entries) =>
    entries.map((one, i) => (i === at ? { ...one, ...entry } : one));
const add =
  (name: string | Buffer, at = 4): Tamper =>
  (entries) =>
    entries.toSpliced(at, 0, { name, data: Buffer.from('x') });
const same: Tamper = (entries) => entries;

export const zipCases = (): Case[] => [...names(), ...headers(), ...frames(), ...contents(), ...flips(), ...cuts()];

const NAMES = [
  '../evil',
  '/etc/passwd',
  'C:\\evil',
  '..\\evil',
  'documents/../manifest.json',
  './manifest.json',
  'manifest.json/',
  'Manifest.json',
  'MANIFEST.JSON',
  'manifest.json ',
  'manifest.json.',
  'manifest\u2024json',
  'm\u0430nifest.json',
  'manifest.json\u0000.txt',
  'events.jsonl\u200b',
  'documents',
  'documents/',
  `documents/${'A'.repeat(64)}`,
  `documents/${'0'.repeat(63)}`,
  `documents//${'0'.repeat(64)}`,
  'verify\\verify.py',
  'verify/verify.mjs~',
  'proofs/extra.tsv',
  '',
  '.',
  '..',
  'events.jsonl:stream',
  'CON',
  '__MACOSX/._manifest.json',
  '.DS_Store',
  'line\nbreak',
  '\u001b[2J',
];

function names(): Case[] {
  return [
    ...NAMES.map((name) =>
      tampered(`the name ${JSON.stringify(name)}`, name.endsWith('/') ? 'ZIP_NOT_A_FILE' : 'ZIP_NAME', add(name)),
    ),
    tampered('a name that is no UTF-8', 'ZIP_NAME', add(Buffer.from([0xff, 0xfe]))),
    ...[0, 1, 3, 6].map((at) =>
      tampered(`entry ${at} twice`, 'ZIP_DUPLICATE', (entries) => [...entries, entries[at] as WrittenEntry]),
    ),
    tampered('an unlisted document', 'FILE_UNLISTED', add(`documents/${'ab'.repeat(32)}`)),
    tampered('no fact before the signature', 'SEALING_MISSING', (entries) => entries.toSpliced(2, 1)),
    ...[3, 4, 5, 7, 8, 9].map((at) =>
      tampered(`entry ${at} missing`, 'FILE_MISSING', (entries) => entries.toSpliced(at, 1)),
    ),
    tampered('no manifest', 'MANIFEST_MISSING', (entries) => entries.slice(1)),
    tampered('no signature', 'SIGNATURE_FORM', (entries) => entries.toSpliced(1, 1)),
    tampered('no entries', 'MANIFEST_MISSING', () => []),
    ...[
      [0, 1],
      [2, 3],
      [4, 5],
      [6, 8],
    ].map(([a = 0, b = 0]) =>
      tampered(`entries ${a} and ${b} in each other's place`, 'ZIP_ORDER', (entries) =>
        entries.map((one, i) => entries[i === a ? b : i === b ? a : i] ?? one),
      ),
    ),
  ];
}

function headers(): Case[] {
  const name = (text: string): Buffer => Buffer.from(text);
  const mismatch = 'ZIP_HEADER_MISMATCH';
  return [
    tampered('another name in the local header', mismatch, change(3, { local: { name: name('events.jsonX') } })),
    tampered('a longer name in the local header', mismatch, change(3, { local: { name: name('events.jsonl2') } })),
    tampered('another size in the local header', mismatch, change(3, { local: { size: 1 } })),
    tampered('another CRC in the local header', mismatch, change(3, { local: { crc: 1 } })),
    tampered('another method in the local header', mismatch, change(3, { local: { method: 8 } })),
    tampered('another time in the local header', mismatch, change(3, { local: { stamp: 0x00210001 } })),
    tampered('other flags in the local header', mismatch, change(3, { local: { flags: 0 } })),
    tampered('another size in the directory', mismatch, change(3, { central: { size: 1_000_000 } })),
    tampered('a smaller size in the directory', mismatch, change(3, { central: { size: 10 } })),
    tampered('another CRC in both', 'ZIP_CRC', change(3, { local: { crc: 7 }, central: { crc: 7 } })),
    tampered('deflate', 'ZIP_METHOD', change(3, { local: { method: 8 }, central: { method: 8 } })),
    tampered('encryption', 'ZIP_FLAGS', change(3, { local: { flags: 0x0801 }, central: { flags: 0x0801 } })),
    tampered('no UTF-8 flag', 'ZIP_ATTRIBUTES', change(3, { local: { flags: 0 }, central: { flags: 0 } })),
    tampered(
      'another time in both',
      'ZIP_ATTRIBUTES',
      change(3, { local: { stamp: 0x5c000000 }, central: { stamp: 0x5c000000 } }),
    ),
    tampered('a symbolic link', 'ZIP_NOT_A_FILE', change(3, { central: { mode: 0o120777 } })),
    tampered('a directory', 'ZIP_NOT_A_FILE', change(3, { central: { mode: 0o040755 } })),
    tampered('an executable', 'ZIP_ATTRIBUTES', change(3, { central: { mode: 0o100755 } })),
    tampered(
      'an extra field in the directory',
      'ZIP_EXTRA_FIELD',
      change(3, { central: { extra: Buffer.from([0x55, 0x54, 0, 0]) } }),
    ),
    tampered(
      'an extra field in the local header',
      'ZIP_EXTRA_FIELD',
      change(3, { local: { extra: Buffer.from([0x55, 0x54, 0, 0]) } }),
    ),
    tampered('a comment of an entry', 'ZIP_COMMENT', change(3, { comment: Buffer.from('hello') })),
    tampered(
      'a size promised after the data that is not there',
      mismatch,
      change(3, { local: { flags: 0x0808 }, central: { flags: 0x0808 } }),
    ),
    tampered('another place in the directory', mismatch, change(3, { central: { offset: 4 } })),
    tampered('two entries over one content', mismatch, change(1, { central: { offset: 0 } })),
  ];
}

function frames(): Case[] {
  const junk = Buffer.from('junk');
  return [
    tampered('bytes before', 'ZIP_EXTRA_BYTES', same, { prefix: junk }),
    tampered('bytes after', 'ZIP_STRUCTURE', same, { suffix: junk }),
    tampered('a comment', 'ZIP_STRUCTURE', same, { comment: junk }),
    tampered('bytes before the directory', 'ZIP_EXTRA_BYTES', same, { beforeDirectory: junk }),
    tampered('bytes between entries', 'ZIP_EXTRA_BYTES', change(4, { before: junk })),
    tampered('bytes after an entry', 'ZIP_EXTRA_BYTES', change(4, { after: junk })),
    tampered('fewer entries claimed', 'ZIP_STRUCTURE', same, { count: 3 }),
    tampered('more entries claimed', 'ZIP_STRUCTURE', same, { count: 99 }),
    tampered('another archive before it', 'ZIP_EXTRA_BYTES', same, { prefix: sealed(standardSpec()) }),
    { name: 'archive: nothing', bundle: Buffer.alloc(0), verdict: 'INVALID', code: 'ZIP_STRUCTURE', options: KEY },
    {
      name: 'archive: no archive',
      bundle: Buffer.alloc(500, 'x'),
      verdict: 'INVALID',
      code: 'ZIP_STRUCTURE',
      options: KEY,
    },
  ];
}

/** Contents changed after signing, with the archive's own checks made good. */
function contents(): Case[] {
  const names = good().map(({ name }) => String(name));
  const flipped = (data: Buffer): Buffer =>
    Buffer.from(data.map((byte, i) => (i === data.length >> 1 ? byte ^ 1 : byte)));
  return [
    ...names
      .slice(LISTED)
      .map((name, i) =>
        tampered(`one bit of ${name}`, 'FILE_HASH', (entries) =>
          change(i + LISTED, { data: flipped(entries[i + LISTED]?.data ?? Buffer.alloc(0)) })(entries),
        ),
      ),
    ...names.slice(LISTED).map((name, i) =>
      tampered(`${name} one byte longer`, 'FILE_SIZE', (entries) =>
        change(i + LISTED, {
          data: Buffer.concat([entries[i + LISTED]?.data ?? Buffer.alloc(0), Buffer.from('\n')]),
        })(entries),
      ),
    ),
    tampered('one bit of the signature', 'SIGNATURE_MISMATCH', (entries) =>
      change(1, { data: flipped(entries[1]?.data ?? Buffer.alloc(0)) })(entries),
    ),
    tampered('a shorter signature', 'SIGNATURE_FORM', (entries) =>
      change(1, { data: entries[1]?.data.subarray(1) ?? Buffer.alloc(0) })(entries),
    ),
    tampered('the signature of another key', 'SIGNATURE_MISMATCH', (entries) =>
      change(1, { data: ed25519Sign(OTHER_SEED, entries[0]?.data ?? Buffer.alloc(0)) })(entries),
    ),
    ...[' ', '\n', '\ufeff'].map((text) =>
      tampered(`the manifest with ${JSON.stringify(text)} before`, 'MANIFEST_NOT_CANONICAL', (entries) =>
        change(0, { data: Buffer.concat([Buffer.from(text), entries[0]?.data ?? Buffer.alloc(0)]) })(entries),
      ),
    ),
    tampered('the manifest with a repeated member', 'MANIFEST_NOT_CANONICAL', (entries) =>
      change(0, {
        data: Buffer.from(String(entries[0]?.data).replace('{"bundle_id"', '{"bundle_id":"x","bundle_id"')),
      })(entries),
    ),
    tampered('the manifest with another value', 'SIGNATURE_MISMATCH', (entries) =>
      change(0, {
        data: Buffer.from(String(entries[0]?.data).replace('"requested_by":"key_01"', '"requested_by":"key_02"')),
      })(entries),
    ),
  ];
}

/** One bit anywhere: nothing in the archive is free of meaning. */
function flips(): Case[] {
  const bundle = sealed(purposeSpec());
  const random = seeded(77);
  const flip = (at: number, bit: number): Case => {
    const bytes = Buffer.from(bundle);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
    return { name: `bit ${bit} of byte ${at}`, bundle: bytes, verdict: 'INVALID', options: KEY };
  };
  const directory = bundle.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  return [
    ...Array.from({ length: 40 }, () => flip(Math.floor(random() * bundle.length), Math.floor(random() * 8))),
    // Most of the bytes above are content; these are the directory's.
    ...Array.from({ length: 40 }, () =>
      flip(directory + Math.floor(random() * (bundle.length - directory)), Math.floor(random() * 8)),
    ),
    ...Array.from({ length: 30 }, (_, i) => flip(i, i % 8)),
  ];
}

function cuts(): Case[] {
  const bundle = sealed(standardSpec());
  const random = seeded(78);
  const cut = (length: number): Case => ({
    name: `cut to ${length} bytes`,
    bundle: bundle.subarray(0, length),
    verdict: 'INVALID',
    options: KEY,
  });
  return [
    1,
    21,
    22,
    bundle.length - 1,
    bundle.length - 22,
    ...Array.from({ length: 8 }, () => Math.floor(random() * bundle.length)),
  ].map(cut);
}
