import { ed25519Jwk } from '../../shared/crypto/ed25519.js';
import { consistencyPlan } from '../../shared/merkle/proof-plans.js';
import { seeded } from '../support/random.js';
import type { Case } from './cases.js';
import {
  custodyAct,
  disposalAct,
  documentAct,
  documentIdOf,
  eventIdAt,
  redactionAct,
  segmentAct,
} from './made-acts.js';
import {
  BUNDLE_SEED,
  type BundleSpec,
  CHECKPOINT_SEED,
  checkpointVerifier,
  draftOf,
  listFiles,
  madeNote,
  mappedLedger,
  OTHER_SEED,
  REDACTION,
  SEALED_AT,
  signedEntries,
  thumbprintOf,
} from './make-bundle.js';
import { type Act, type MadeLedger, makeLedger, treeHash } from './make-ledger.js';
import { type WrittenEntry, type WrittenZip, writeZip } from './zip-writer.js';

export const KEY = { keys: [thumbprintOf(BUNDLE_SEED)] };

/** Custody early on, then the facts, and a segment and custody at the end. @param facts from place 20 on */
export const actsOf = (entries: number, facts: readonly Act[]): Map<number, Act> =>
  new Map([
    [3, custodyAct(eventIdAt(2))],
    [4, custodyAct(eventIdAt(1), { subjects: [{ kind: 'EVENT', id: 'evt_outside' }], member_ids: ['M-outside'] })],
    [7, custodyAct(eventIdAt(1), { sha256_after: 'cd'.repeat(32) })],
    ...facts.map((act, i) => [FIRST_FACT + i, act] as const),
    [entries - 2, segmentAct()],
    [entries - 1, custodyAct(eventIdAt(5))],
  ]);
const FIRST_FACT = 20;

const DOCUMENTS = [Buffer.from('one'), Buffer.alloc(3000, 'two')];
const PLAIN_DOCUMENT = Buffer.from('a document');

/** Facts of what the specs below hide of the standard ledger, and of their documents. */
export const standardFacts = (): Act[] => [
  disposalAct(eventIdAt(8)),
  redactionAct(eventIdAt(2), REDACTION),
  redactionAct(eventIdAt(9), REDACTION),
  ...[...DOCUMENTS, PLAIN_DOCUMENT].map((content) => documentAct(documentIdOf(content), content)),
  documentAct('doc_withheld_0', 'content 0', 'QUARANTINED'),
  documentAct('doc_withheld_1', 'content 1', 'DISPOSED'),
];

export const STANDARD_SIZE = 600;
let standard: MadeLedger | undefined;
export const standardLedger = (): MadeLedger => {
  standard ??= makeLedger({ seed: 11, entries: STANDARD_SIZE, own: actsOf(STANDARD_SIZE, standardFacts()) });
  return standard;
};

/** One of every state, over three blocks of the tree, with runs of neighbours. */
export const standardSpec = (): BundleSpec => ({
  ledger: standardLedger(),
  events: [0, 1, 2, 5, 6, 8, 9, 10, 11, 12, 255, 256, 257, 300, 301, 302, 597],
  redacted: new Set([2, 9]),
  disposed: new Set([8]),
  documents: DOCUMENTS,
  withheld: ['QUARANTINED', 'DISPOSED'],
});

/** The standard bundle with other documents. */
export function specWithDocuments(documents: readonly Buffer[]): BundleSpec {
  const facts = [...standardFacts(), ...documents.map((content) => documentAct(documentIdOf(content), content))];
  const ledger = makeLedger({ seed: 11, entries: STANDARD_SIZE, own: actsOf(STANDARD_SIZE, facts) });
  return { ...standardSpec(), ledger, documents };
}

/** Made for a purpose, for which consent keeps something out. */
export const purposeSpec = (): BundleSpec => ({
  ...standardSpec(),
  consent: {
    purpose: 'TREATMENT',
    withheld: [
      { reason: 'CONSENT_DENIED', events: 0, documents: 2 },
      { reason: '42CFR2', events: 0, documents: 1 },
    ],
  },
});

export const plainSpec = (): BundleSpec => ({
  ledger: standardLedger(),
  events: [0, 1, 2, 255, 256, 597],
  documents: [PLAIN_DOCUMENT],
});

export function sealed(spec: BundleSpec, zip: WrittenZip = {}, written: Partial<WrittenEntry> = {}): Buffer {
  const draft = draftOf(spec);
  listFiles(draft);
  return writeZip(
    signedEntries(draft).map((entry) => ({ ...entry, ...written })),
    zip,
  );
}

export function goodCases(): Case[] {
  return [...shapes(), ...drawn(), ...keyed(), ...kept()];
}

function shapes(): Case[] {
  const ledger = standardLedger();
  const valid = (name: string, spec: BundleSpec, zip?: WrittenZip, written?: Partial<WrittenEntry>): Case => ({
    name,
    bundle: sealed(spec, zip, written),
    verdict: 'VALID',
    options: KEY,
  });
  return [
    valid('one of every state', standardSpec()),
    valid('for a purpose', purposeSpec()),
    valid('for a purpose, nothing kept out', {
      ...plainSpec(),
      // Event 2 has a redaction.
      events: [0, 1, 255, 256, 597],
      consent: { purpose: 'PAYMENT', withheld: [] },
    }),
    valid('no event', { ledger, events: [] }),
    valid('one event', { ledger, events: [0] }),
    valid('every event of its ledger', {
      ledger: makeLedger({ seed: 2, entries: 300 }),
      events: Array.from({ length: 300 }, (_, i) => i),
    }),
    // The last leaf is the map's.
    ...[2, 3, 4, 255, 256, 257, 512, 513].map((size) =>
      valid(`a tree of ${size}`, {
        ledger: makeLedger({ seed: size, entries: size - 1 }),
        events: [...new Set([0, size - 2])],
      }),
    ),
    valid('a checkpoint before the end of the log', { ...plainSpec(), events: [0, 1, 255], treeSize: 300 }),
    valid('sizes after the data', standardSpec(), {}, { descriptor: true }),
    valid('ZIP64 entries', standardSpec(), {}, { zip64: true }),
    valid('ZIP64 throughout, sizes after the data', standardSpec(), { zip64: true }, { zip64: true, descriptor: true }),
    valid('a ZIP64 end record', standardSpec(), { zip64: true }),
    { name: 'no key given', bundle: sealed(standardSpec()), verdict: 'INTEGRITY_ONLY' },
    {
      name: 'minimal',
      bundle: sealed({ ...plainSpec(), profile: 'minimal' }),
      verdict: 'VALID_WITH_NOTES',
      options: KEY,
    },
    {
      name: 'minimal, no key given',
      bundle: sealed({ ...plainSpec(), profile: 'minimal' }),
      verdict: 'INTEGRITY_ONLY',
    },
  ];
}

/** Bundles drawn at random over ledgers drawn at random. */
function drawn(): Case[] {
  return Array.from({ length: 24 }, (_, round) => {
    const random = seeded(1000 + round);
    const size = 8 + Math.floor(random() * 500);
    const events = Array.from({ length: size }, (_, i) => i).filter(() => random() < 0.15);
    const some = (share: number): Set<number> => new Set(events.filter(() => random() < share));
    const [redacted, disposed] = [some(0.2), some(0.1)];
    const documents = Array.from({ length: Math.floor(random() * 4) }, (_, i) =>
      Buffer.alloc(1 + Math.floor(random() * 5000), `${i}`),
    );
    const acts = [
      ...[...disposed].map((index) => disposalAct(eventIdAt(index))),
      ...[...redacted].map((index) => redactionAct(eventIdAt(index), REDACTION)),
      ...documents.map((content) => documentAct(documentIdOf(content), content)),
      custodyAct(eventIdAt(events[0] ?? 0)),
    ];
    const own = new Map(acts.map((act, i) => [size + i, act]));
    const ledger = makeLedger({ seed: 2000 + round, entries: size + acts.length, own });
    const spec = { ledger, events, redacted, disposed, documents };
    return { name: `drawn ${round}`, bundle: sealed(spec), verdict: 'VALID' as const, options: KEY };
  });
}

const EARLIER = '2026-01-01T00:00:00.000Z';
const LATER = '2026-06-01T00:00:00.000Z';

export const keySetWith = (
  facts: Readonly<Record<string, unknown>>,
  history: readonly object[],
  seed = BUNDLE_SEED,
): string =>
  JSON.stringify({
    keys: [
      {
        ...ed25519Jwk(OTHER_SEED),
        kid: 'other',
        purpose: 'BUNDLE',
        status: 'ACTIVE',
        from: EARLIER,
        until: null,
        history: [],
      },
      { kty: 'RSA', n: 'AQ', e: 'AQAB' },
      {
        ...ed25519Jwk(seed),
        kid: 'own',
        purpose: 'BUNDLE',
        status: 'ACTIVE',
        from: EARLIER,
        until: null,
        history,
        ...facts,
      },
      {
        ...ed25519Jwk(CHECKPOINT_SEED),
        kid: 'log',
        purpose: 'CHECKPOINT',
        status: 'ACTIVE',
        from: EARLIER,
        until: null,
        history: [],
      },
    ],
  });

/** What became of the key since, and before. */
function keyed(): Case[] {
  const bundle = sealed(standardSpec());
  const told = (name: string, verdict: Case['verdict'], keySet: string, code?: string): Case => ({
    name: `key ${name}`,
    bundle,
    verdict,
    options: { keySet },
    ...(code === undefined ? {} : { code }),
  });
  const revoked = (change: string, effective_at: string) => [{ change, at: LATER, reason: 'x', effective_at }];
  return [
    told('active', 'VALID', keySetWith({}, [])),
    told('rotated since', 'VALID', keySetWith({ until: LATER, status: 'RETIRED' }, [{ change: 'ROTATED', at: LATER }])),
    told('retired since', 'VALID', keySetWith({ until: LATER, status: 'RETIRED' }, [{ change: 'RETIRED', at: LATER }])),
    told('revoked with effect from later', 'VALID', keySetWith({ status: 'REVOKED' }, revoked('REVOKED', LATER))),
    told('compromised since', 'VALID_WITH_NOTES', keySetWith({ status: 'REVOKED' }, revoked('COMPROMISED', LATER))),
    told(
      'revoked with effect from before',
      'INVALID',
      keySetWith({ status: 'REVOKED' }, revoked('REVOKED', EARLIER)),
      'KEY_REVOKED',
    ),
    told(
      'revoked from the very instant',
      'INVALID',
      keySetWith({ status: 'REVOKED' }, revoked('REVOKED', SEALED_AT)),
      'KEY_REVOKED',
    ),
    told(
      'compromised before',
      'INVALID',
      keySetWith({ status: 'REVOKED' }, revoked('COMPROMISED', EARLIER)),
      'KEY_COMPROMISED',
    ),
    told('revoked, and not said from when', 'INVALID', keySetWith({ status: 'REVOKED' }, []), 'KEY_REVOKED'),
    told(
      'retired before',
      'INVALID',
      keySetWith({ until: EARLIER }, [{ change: 'RETIRED', at: EARLIER }]),
      'KEY_NO_LONGER_ACTIVE',
    ),
    told('not active yet', 'INVALID', keySetWith({ from: LATER }, []), 'KEY_NOT_ACTIVE_YET'),
    told('never active', 'INVALID', keySetWith({ from: null, status: 'PENDING' }, []), 'KEY_NOT_ACTIVE_YET'),
    told('of another purpose', 'INVALID', keySetWith({ purpose: 'SEGMENT' }, []), 'KEY_UNKNOWN'),
    told('unknown', 'INVALID', keySetWith({}, [], Buffer.alloc(32, 9)), 'KEY_UNKNOWN'),
    {
      name: 'one of two pinned keys',
      bundle,
      verdict: 'VALID',
      options: { keys: [thumbprintOf(OTHER_SEED), ...KEY.keys] },
    },
    {
      name: 'another pinned key',
      bundle,
      verdict: 'INVALID',
      code: 'KEY_NOT_TRUSTED',
      options: { keys: [thumbprintOf(OTHER_SEED)] },
    },
  ];
}

/** The proof that the tree of `second` leaves extends that of `first`, as `--consistency` takes it. */
export const consistencyText = (leaves: readonly Buffer[], first: number, second: number): string =>
  consistencyPlan(first, second)
    .map((term) => {
      const from = (term[0]?.index ?? 0) * 2 ** (term[0]?.level ?? 0);
      const to = term.reduce((_, { index, level }) => (index + 1) * 2 ** level, 0);
      return `${treeHash(leaves, from, to).toString('base64')}\n`;
    })
    .join('');

/** Checkpoints that were kept outside. */
function kept(): Case[] {
  const { leaves, origin } = mappedLedger(standardLedger());
  const SIZE = leaves.length;
  const bundle = sealed(standardSpec());
  const own = `${origin}/inc-1`;
  const note = (size: number, name = own, seed = CHECKPOINT_SEED): string =>
    madeNote(name, size, treeHash(leaves, 0, size), seed);
  const proof = (first: number, second: number): string => consistencyText(leaves, first, second);
  const told = (name: string, verdict: Case['verdict'], options: Case['options'], code?: string): Case => ({
    name: `kept checkpoint: ${name}`,
    bundle,
    verdict,
    options: { ...KEY, ...options },
    ...(code === undefined ? {} : { code }),
  });
  const checkpointKeys = [checkpointVerifier(own)];
  return [
    told('the same', 'VALID', { checkpoint: note(SIZE), checkpointKeys }),
    told('the same, its key unknown', 'VALID', { checkpoint: note(SIZE) }),
    told('none, but the key', 'VALID', { checkpointKeys }),
    ...[1, 2, 255, 256, 257, 400, 512, 599].map((size) =>
      told(`of ${size}, with its proof`, 'VALID', { checkpoint: note(size), consistency: proof(size, SIZE) }),
    ),
    told('older, without a proof', 'VALID_WITH_NOTES', { checkpoint: note(400) }),
    told('of another incarnation', 'VALID_WITH_NOTES', { checkpoint: note(400, `${origin}/inc-2`) }),
    told(
      'with the proof of another',
      'INVALID',
      { checkpoint: note(400), consistency: proof(399, SIZE) },
      'KEPT_INCONSISTENT',
    ),
    told('of another log', 'INVALID', { checkpoint: note(SIZE, 'eas.example/eas/OTHER/inc-1') }, 'KEPT_OTHER_LOG'),
    told(
      'of another history',
      'INVALID',
      { checkpoint: madeNote(own, SIZE, Buffer.alloc(32, 1)) },
      'KEPT_INCONSISTENT',
    ),
    told(
      'forged',
      'INVALID',
      { checkpoint: note(SIZE).replace(/\n601\n/, '\n600\n'), checkpointKeys, consistency: '' },
      'KEPT_SIGNATURE',
    ),
    told(
      'another key of the log',
      'INVALID',
      { keySet: keySetWith({}, []).replaceAll(ed25519Jwk(CHECKPOINT_SEED).x, ed25519Jwk(OTHER_SEED).x) },
      'CHECKPOINT_SIGNATURE',
    ),
  ];
}
