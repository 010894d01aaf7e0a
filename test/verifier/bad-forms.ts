import type { UnsignedManifest } from '../../shared/evidence/bundle/manifest.js';
import type { Case } from './cases.js';
import { type Change, cell, forged, line, manifest } from './forge.js';
import { KEY, standardSpec } from './good-cases.js';
import { draftOf, listFiles, signedEntries } from './make-bundle.js';
import { writeZip } from './zip-writer.js';

// What a lenient reader accepts: weak keys, second encodings of a signature, days that no calendar has, unknown members.

/** Encodings of the points of low order, and of coordinates at or above p. */
const WEAK_POINTS = [
  '00'.repeat(32),
  `${'00'.repeat(31)}80`,
  `01${'00'.repeat(31)}`,
  `01${'00'.repeat(30)}80`,
  `ec${'ff'.repeat(30)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  `ed${'ff'.repeat(30)}7f`,
  `f0${'ff'.repeat(30)}7f`,
  'ff'.repeat(32),
];

const IMPOSSIBLE = [
  '2026-13-01T00:00:00.000Z',
  '2026-00-01T00:00:00.000Z',
  '2026-02-30T00:00:00.000Z',
  '2025-02-29T00:00:00.000Z',
  '1900-02-29T00:00:00.000Z',
  '2026-04-31T00:00:00.000Z',
  '2026-03-00T00:00:00.000Z',
  '2026-03-02T24:00:00.000Z',
  '2026-03-02T23:60:00.000Z',
  '2026-03-02T23:59:60.000Z',
];

export const formCases = (): Case[] => [...weakKeys(), otherEncoding(), ...dates(), ...unknownMembers()];

const weakKeys = (): Case[] =>
  WEAK_POINTS.map((hex) => {
    const x = Buffer.from(hex, 'hex').toString('base64url');
    const change = manifest(() => ({ signing_public_key_jwk: { kty: 'OKP' as const, crv: 'Ed25519' as const, x } }));
    return forged(`a key of the point ${hex.slice(0, 6)}…${hex.slice(-2)}`, 'KEY_WEAK', change);
  });

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The same signature with S + L in place of S. */
function otherEncoding(): Case {
  const draft = draftOf(standardSpec());
  listFiles(draft);
  const entries = signedEntries(draft).map((entry) => {
    if (entry.name !== 'signature.sig') return entry;
    const s = BigInt(`0x${Buffer.from(entry.data.subarray(32)).reverse().toString('hex')}`) + ORDER;
    const bytes = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
    return { ...entry, data: Buffer.concat([entry.data.subarray(0, 32), bytes]) };
  });
  const name = 'forged: a second encoding of the signature';
  return { name, bundle: writeZip(entries), verdict: 'INVALID', code: 'SIGNATURE_MISMATCH', options: KEY };
}

function dates(): Case[] {
  const scoped = (from: string): Change => manifest((old) => ({ scope: { ...old.scope, from } }));
  return [
    ...IMPOSSIBLE.flatMap((at) => [
      forged(
        `sealed at ${at}`,
        'MANIFEST_FORM',
        manifest(() => ({ sealed_at: at })),
      ),
      forged(`recorded at ${at}`, 'LEDGER_FORM', cell('proofs/ledger.tsv', 1, 3, at)),
      forged(`a window from ${at}`, 'MANIFEST_FORM', scoped(at)),
    ]),
    forged('a window without a zone', 'MANIFEST_FORM', scoped('2026-03-02T00:00:00')),
    forged('a window of an impossible zone', 'MANIFEST_FORM', scoped('2026-03-02T00:00:00+24:00')),
  ];
}

function unknownMembers(): Case[] {
  const added = (name: string, change: (old: UnsignedManifest) => object): Case =>
    forged(`an unknown member of ${name}`, 'MANIFEST_FORM', manifest(change as never));
  const first = <T>(items: readonly T[]): unknown[] => items.map((one, i) => (i === 0 ? { ...one, x: 1 } : one));
  return [
    added('the manifest', () => ({ x: 1 })),
    added('the scope', (old) => ({ scope: { ...old.scope, x: 1 } })),
    added('the generator', (old) => ({ generator: { ...old.generator, x: 1 } })),
    added('the counts', (old) => ({ counts: { ...old.counts, x: 1 } })),
    added('the ledger', (old) => ({ ledger: { ...old.ledger, x: 1 } })),
    added('a head', (old) => ({ ledger: { ...old.ledger, heads: first(old.ledger.heads) } })),
    added('a document', (old) => ({ documents: first(old.documents) })),
    added('a redaction', (old) => ({ redactions: first(old.redactions) })),
    added('the key', (old) => ({ signing_public_key_jwk: { ...old.signing_public_key_jwk, d: 'x' } })),
    added('a hold', () => ({ holds: [{ hold_id: 'h', name: 'n', status: 's', events: 0, documents: 0, x: 1 }] })),
    forged(
      'an unknown member of an event',
      'EVENT_FORM',
      manifest((old) => ({ events: first(old.events) }) as never),
    ),
    forged('an unknown member of a file', 'MANIFEST_FORM', (draft) => {
      listFiles(draft);
      draft.manifest = { ...draft.manifest, files: first(draft.manifest.files) as never };
    }),
    forged(
      'an unknown member of a proof',
      'INCLUSION_MISMATCH',
      line('proofs/inclusion.jsonl', 0, (text) => text.replace(/\}$/, ',"x":1}')),
    ),
    ...['chain.tsv', 'proofs/ledger.tsv'].map((path) =>
      forged(
        `an unknown column of ${path}`,
        path === 'chain.tsv' ? 'CHAIN_FORM' : 'LEDGER_FORM',
        line(path, 0, (text) => `${text}\tx`),
      ),
    ),
  ];
}
