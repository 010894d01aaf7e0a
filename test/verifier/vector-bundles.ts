import { sha256Hex } from '../../shared/crypto/hash.js';
import { contentDigest } from './bundle-texts.js';
import type { Case } from './cases.js';
import { all, type Change, cell, edit, forged, line, manifest } from './forge.js';
import { KEY, sealed } from './good-cases.js';
import {
  custodyAct,
  disposalAct,
  documentAct,
  documentIdOf,
  eventIdAt,
  redactionAct,
  sealingAct,
} from './made-acts.js';
import { type BundleSpec, listFiles, REDACTION } from './make-bundle.js';
import { type Act, laterAct, type MadeLedger, makeLedger, tagOf } from './make-ledger.js';
import { withMap } from './make-map.js';
import { madeSealing } from './make-sealing.js';

// Small whole bundles for docs/evidence-vectors/bundles.json: a verifier written from docs/evidence.md alone must say the same.

const SIZE = 9;
const DOCUMENT = Buffer.from('a letter');

let made: MadeLedger | undefined;
function ledger(): MadeLedger {
  const acts: readonly Act[] = [
    custodyAct(eventIdAt(0)),
    disposalAct(eventIdAt(1)),
    redactionAct(eventIdAt(2), REDACTION),
    documentAct(documentIdOf(DOCUMENT), DOCUMENT),
  ];
  made ??= withMap(
    makeLedger({
      seed: 7,
      entries: SIZE + acts.length,
      own: new Map(acts.map((act, i) => [SIZE + i, act])),
    }),
  );
  return made;
}

const placesOf = (members: readonly string[]): number[] => {
  const tags = new Set<string | null>(members.map(tagOf));
  return ledger().entries.flatMap(({ header, treeIndex }) => (tags.has(header.member_tag) ? [treeIndex] : []));
};

const EVERYONE = ['M-0', 'M-1', 'M-2'];
const spec = (): BundleSpec => ({
  ledger: ledger(),
  events: placesOf(EVERYONE),
  redacted: new Set([2]),
  disposed: new Set([1]),
  documents: [DOCUMENT],
  scope: { member_ids: EVERYONE },
});

const digested: Change = (draft) => {
  const { scope, events, documents } = draft.manifest;
  draft.manifest = { ...draft.manifest, content_digest: contentDigest(scope, events, documents) };
};

/** Other content of equal size under the same document, with every hash rebuilt. */
const replaced: Change = (draft) => {
  const other = Buffer.from('b letter');
  draft.files.delete(`documents/${sha256Hex(DOCUMENT)}`);
  draft.files.set(`documents/${sha256Hex(other)}`, other);
  const documents = draft.manifest.documents.map((one) => ({ ...one, sha256: sha256Hex(other) }));
  draft.manifest = { ...draft.manifest, documents };
  digested(draft);
};

const otherManifest: Change = (draft) => {
  listFiles(draft);
  const { bundle_id, scope, content_digest } = draft.manifest;
  const act = sealingAct(bundle_id, scope, { content_digest, manifest_sha256: 'ab'.repeat(32) });
  draft.sealing = madeSealing(draft.ledger, laterAct(draft.ledger, act));
};

const recipient = edit('chain.tsv', (text) => text.replace('counsel@example.org', 'nobody@example.org'));
const weakKey = manifest(() => ({
  signing_public_key_jwk: { kty: 'OKP', crv: 'Ed25519', x: Buffer.alloc(32).toString('base64url') },
}));

export function vectorCases(): Case[] {
  const good = (name: string, of: BundleSpec): Case => ({ name, bundle: sealed(of), verdict: 'VALID', options: KEY });
  const bad = (name: string, code: string, change: Change, of = spec()): Case => forged(name, code, change, of);
  const short = { ...spec(), events: placesOf(EVERYONE).slice(0, -1) };
  return [
    good('every event of three members, with a redacted, a disposed one and a document', spec()),
    good('no event of an unknown member', {
      ledger: ledger(),
      events: [],
      scope: { member_id: 'M-9', member_ids: ['M-9'] },
    }),
    bad(
      'a value of a record',
      'COMMIT_MISMATCH',
      line('events.jsonl', 0, (text) => text.replace('DENIED', 'APPROVED')),
    ),
    bad('custody with another recipient', 'ACT_ROW', recipient),
    bad('an event left out', 'LOG_FORM', digested, short),
    bad('a document replaced', 'DOCUMENT_FACT', replaced),
    bad('a fact of another manifest', 'SEALING_OTHER', otherManifest),
    bad('a key of low order', 'KEY_WEAK', weakKey),
    bad('month 13', 'LEDGER_FORM', cell('proofs/ledger.tsv', 1, 3, '2026-13-01T00:00:00.000Z')),
    bad(
      'an unknown member',
      'MANIFEST_FORM',
      manifest(() => ({ x: 1 }) as object),
    ),
    bad(
      'a log of another member',
      'LOG_MEMBER',
      all(
        manifest((old) => swapped(old.logs ?? [])),
        digested,
      ),
    ),
  ];
}

/** Exchanges the members of the first two logs. */
function swapped(logs: readonly { readonly member_id?: string }[]): object {
  const [first, second, ...rest] = logs;
  return { logs: [{ ...first, member_id: second?.member_id }, { ...second, member_id: first?.member_id }, ...rest] };
}

/** The text of docs/evidence-vectors/bundles.json. */
export const vectorText = (cases = vectorCases()): string =>
  `${JSON.stringify(
    cases.map(({ name, bundle, verdict, code }) => ({
      name,
      key: KEY.keys[0],
      expect: verdict === 'INVALID' ? 'invalid' : verdict,
      ...(code === undefined ? {} : { reason: code }),
      bundle: bundle.toString('base64'),
    })),
    null,
    2,
  )}\n`;
