import { ed25519Jwk } from '../../shared/crypto/ed25519.js';
import { sha256Hex } from '../../shared/crypto/hash.js';
import type { ManifestConsent, ManifestEvent, UnsignedManifest } from '../../shared/evidence/bundle/manifest.js';
import { formCases } from './bad-forms.js';
import { insiderCases } from './bad-insiders.js';
import { logCases } from './bad-logs.js';
import { recordCases } from './bad-records.js';
import type { Case } from './cases.js';
import { type Change, event, forged, manifest } from './forge.js';
import { plainSpec, purposeSpec, standardSpec } from './good-cases.js';
import { listFiles, OTHER_SEED, thumbprintOf } from './make-bundle.js';

export const badCases = (): Case[] => [
  ...recordCases(),
  ...formCases(),
  ...insiderCases(),
  ...logCases(),
  ...manifests(),
  ...documents(),
  ...keys(),
];

const CONSENT: ManifestConsent = { purpose: 'TREATMENT', withheld: [{ reason: '42CFR2', events: 1, documents: 1 }] };

function manifests(): Case[] {
  const counts = ['events', 'documents', 'redacted', 'disposed', 'quarantined'] as const;
  const broken = (name: string, code: string, change: (old: UnsignedManifest) => Partial<UnsignedManifest>): Case =>
    forged(`manifest: ${name}`, code, manifest(change));
  const wrong = (name: string, value: unknown): Case =>
    broken(`${name} of another form`, 'MANIFEST_FORM', () => ({ [name]: value }) as Partial<UnsignedManifest>);
  return [
    ...counts.map((name) =>
      broken(`count of ${name}`, 'COUNT', (old) => ({ counts: { ...old.counts, [name]: old.counts[name] + 1 } })),
    ),
    broken('content digest', 'CONTENT_DIGEST', () => ({ content_digest: 'ab'.repeat(32) })),
    broken('scope', 'CONTENT_DIGEST', (old) => ({ scope: { ...old.scope, matter_id: 'mat_02' } })),
    broken('key id', 'KEY_ID_MISMATCH', () => ({ signing_key_id: thumbprintOf(OTHER_SEED) })),
    forged(
      'manifest: an event left out',
      'EVENT_MISMATCH',
      manifest((old) => ({ events: old.events.slice(1) })),
    ),
    forged(
      'manifest: events swapped',
      'EVENT_MISMATCH',
      manifest(({ events: [a, b, ...rest] }) => ({ events: [b, a, ...rest] as ManifestEvent[] })),
    ),
    forged(
      'manifest: an event more',
      'EVENT_MISSING',
      manifest((old) => ({ events: [...old.events, old.events[0] as ManifestEvent] })),
    ),
    forged('manifest: a redacted event said to be whole', 'SEED', event(2, { state: 'INCLUDED' })),
    forged('manifest: a whole event said to be disposed of', 'DISPOSED_LINE', event(0, { state: 'DISPOSED' })),
    forged('manifest: a state that no event has', 'EVENT_FORM', event(0, { state: 'GONE' as 'INCLUDED' })),
    forged('manifest: another entry hash', 'EVENT_MISMATCH', event(0, { entry_hash: 'ab'.repeat(32) })),
    wrong('schema', 'eas.bundle-manifest/v1'),
    wrong('sealed_at', '2026-03-03'),
    wrong('events', {}),
    wrong('counts', []),
    wrong('ledger', null),
    wrong('documents', [{}]),
    wrong('signing_public_key_jwk', { kty: 'EC', crv: 'P-256', x: 'AA' }),
    wrong('content_digest', 'x'),
    wrong('consent', null),
    ...[{}, { purpose: 1 }, { withheld: {} }, { withheld: [{ reason: '42CFR2', events: -1, documents: 0 }] }].map(
      (part, i) =>
        forged(
          `manifest: consent of another form, ${i}`,
          'MANIFEST_FORM',
          manifest(() => ({ consent: (i === 0 ? part : { ...CONSENT, ...part }) as ManifestConsent })),
          purposeSpec(),
        ),
    ),
    forged(
      'manifest: one reason of consent told twice',
      'MANIFEST_FORM',
      manifest(() => ({ consent: { ...CONSENT, withheld: [...CONSENT.withheld, ...CONSENT.withheld] } })),
      purposeSpec(),
    ),
    forged(
      'an event left out in the name of consent',
      'COUNT',
      manifest((old) => ({ counts: { ...old.counts, events: old.counts.events + 1 } })),
      purposeSpec(),
    ),
    forged(
      'a key of another length',
      'KEY_FORM',
      manifest(() => ({ signing_public_key_jwk: { kty: 'OKP' as const, crv: 'Ed25519' as const, x: 'AAAA' } })),
    ),
    forged('a file left out of the list', 'FILE_NOT_LISTED', (draft) => {
      listFiles(draft);
      draft.manifest = {
        ...draft.manifest,
        files: draft.manifest.files.filter(({ path }) => path !== 'proofs/inclusion.jsonl'),
      };
    }),
    forged('a file listed twice', 'FILE_LISTED_TWICE', (draft) => {
      listFiles(draft);
      draft.manifest = { ...draft.manifest, files: [...draft.manifest.files, draft.manifest.files[0] as never] };
    }),
    forged('a file of another name', 'FILE_NAME', ({ files }) => void files.set('extra.txt', Buffer.from('x'))),
  ];
}

function documents(): Case[] {
  const first = (change: object): Change =>
    manifest((old) => ({ documents: old.documents.map((one, i) => (i === 0 ? { ...one, ...change } : one)) }));
  const spec = plainSpec();
  return [
    forged('a document that is not there', 'DOCUMENT_MISSING', first({ sha256: 'ab'.repeat(32) }), spec),
    forged('a document of another size', 'DOCUMENT_SIZE', first({ size: 1 }), spec),
    forged('a document said to be quarantined, and there', 'DOCUMENT_UNNAMED', first({ state: 'QUARANTINED' }), spec),
    forged('a disposed document named by its hash', 'DOCUMENT_STATE', first({ state: 'DISPOSED' }), spec),
    forged('a document of an unknown state', 'MANIFEST_FORM', first({ state: 'LOST' }), spec),
    forged('a document of an event that is not there', 'REFERENCE', first({ referenced_by: ['evt_other'] }), spec),
    forged(
      'a document twice',
      'DOCUMENT_TWICE',
      manifest((old) => ({ documents: [...old.documents, ...old.documents] })),
      spec,
    ),
    forged(
      'a content of no document',
      'DOCUMENT_UNNAMED',
      ({ files }) => void files.set(`documents/${sha256Hex('stray')}`, Buffer.from('stray')),
      spec,
    ),
    forged(
      'a content under the hash of another',
      'DOCUMENT_HASH',
      ({ files }) => {
        const path = [...files.keys()].find((name) => name.startsWith('documents/')) ?? '';
        files.set(path, Buffer.from('A document'));
      },
      spec,
    ),
  ];
}

function keys(): Case[] {
  const theirs = manifest(() => ({
    signing_key_id: thumbprintOf(OTHER_SEED),
    signing_public_key_jwk: ed25519Jwk(OTHER_SEED),
  }));
  const anew = forged('signed anew by another key', 'KEY_NOT_TRUSTED', theirs, standardSpec(), OTHER_SEED);
  const { code: _, ...named } = anew;
  return [
    forged(
      'signed by another key in the name of ours',
      'SIGNATURE_MISMATCH',
      () => undefined,
      standardSpec(),
      OTHER_SEED,
    ),
    anew,
    { ...named, name: 'signed anew by another key, for who trusts none', verdict: 'INTEGRITY_ONLY', options: {} },
  ];
}
