import type { ActCells } from '../../shared/acts/act-row.js';
import { ed25519Jwk, ed25519Sign } from '../../shared/crypto/ed25519.js';
import { sha256, sha256Hex } from '../../shared/crypto/hash.js';
import { SEALING_PATH } from '../../shared/evidence/bundle/entries.js';
import { disposedLine } from '../../shared/evidence/bundle/event-lines.js';
import { BLOCK_LEAVES, inclusionLine } from '../../shared/evidence/bundle/inclusion.js';
import {
  type ManifestConsent,
  type ManifestDocument,
  type ManifestEvent,
  type ManifestLog,
  type ManifestScope,
  type UnsignedManifest,
} from '../../shared/evidence/bundle/manifest.js';
import { CHAIN_HEADER, chainLine, LEDGER_HEADER, ledgerLine, tsvLine } from '../../shared/evidence/bundle/tsv.js';
import { redactedLine } from '../../shared/evidence/redacted-line.js';
import { disclosedAct } from '../../subgraphs/bundles/build/prove-acts.js';
import { contentDigest, entryPaths, manifestText, unsignedManifestText } from './bundle-texts.js';
import { documentIdOf } from './made-acts.js';
import { CHECKPOINT_SEED, checkpointKey, checkpointVerifier, madeNote } from './made-notes.js';
import { type MadeEntry, type MadeLedger, splitOf, tagOf, treeHash, treePath } from './make-ledger.js';
import { keysOf, tokensOf, withMap } from './make-map.js';
import { madeSealing, sealingEntry } from './make-sealing.js';
import type { WrittenEntry } from './zip-writer.js';

export { CHECKPOINT_SEED, checkpointKey, checkpointVerifier, madeNote };

export const BUNDLE_SEED = sha256('the key of bundles');
export const OTHER_SEED = sha256('a key of somebody else');
export const SEALED_AT = '2026-03-03T00:00:00.000Z';

const REDACTED_POINTERS = ['/member_id', '/payload'];

/** RFC 7638. */
export const thumbprintOf = (seed: Buffer): string =>
  sha256(`{"crv":"Ed25519","kty":"OKP","x":"${ed25519Jwk(seed).x}"}`).toString('base64url');

export interface BundleSpec {
  readonly ledger: MadeLedger;
  /** Places in the tree of the events that are in the bundle, ascending. */
  readonly events: readonly number[];
  readonly redacted?: ReadonlySet<number>;
  readonly disposed?: ReadonlySet<number>;
  readonly documents?: readonly Buffer[];
  readonly withheld?: readonly ('QUARANTINED' | 'DISPOSED')[];
  readonly profile?: 'full' | 'minimal';
  readonly treeSize?: number;
  readonly consent?: ManifestConsent;
  readonly extraFiles?: ReadonlyMap<string, string>;
  readonly scope?: Partial<ManifestScope>;
  /** Why an event of the log is left out; by its place in the tree. */
  readonly leftOut?: ReadonlyMap<number, 'OUT_OF_WINDOW' | 'WITHHELD'>;
}

/** A bundle before it is hashed: a change here is sealed and signed like true content. */
export interface Draft {
  manifest: UnsignedManifest;
  readonly files: Map<string, Buffer>;
  readonly ledger: MadeLedger;
  /** The proof of the fact before the signature; by default that of this manifest. */
  sealing?: Buffer | null;
}

export const REDACTION = 'red_00000000000000000000000001';

interface ShownEvent {
  readonly entry: MadeEntry;
  readonly line: string;
  readonly state: ManifestEvent['state'];
}

function shownEvent(entry: MadeEntry, spec: BundleSpec): ShownEvent {
  const { treeIndex, record, seed, header } = entry;
  if (spec.disposed?.has(treeIndex)) return { entry, line: disposedLine(header.event_id), state: 'DISPOSED' };
  if (!spec.redacted?.has(treeIndex)) return { entry, line: record, state: 'INCLUDED' };
  const { line } = redactedLine({ record, seed, pointers: REDACTED_POINTERS, redactionId: REDACTION });
  return { entry, line, state: 'REDACTED' };
}

/** The members of a bundle about a matter: its events need not be in a log. */
const MATTER_SCOPE = { matter_id: 'mat_01', member_ids: [] } as const;

/** The entries of a ledger up to a size, and then their map. */
export function mappedLedger(ledger: MadeLedger, size = ledger.leaves.length): MadeLedger {
  const bySize = mapped.get(ledger) ?? new Map<number, MadeLedger>();
  mapped.set(ledger, bySize);
  const cut = { ...ledger, entries: ledger.entries.slice(0, size), leaves: ledger.leaves.slice(0, size) };
  const made = bySize.get(size) ?? withMap(cut);
  bySize.set(size, made);
  return made;
}

/** Hundreds of bundles are made of few ledgers. */
const mapped = new WeakMap<MadeLedger, Map<number, MadeLedger>>();

/** A full bundle has a map; where the spec has none, it is one of a matter that lists events by themselves. */
function withOwnMap({ treeSize, ...spec }: BundleSpec): BundleSpec {
  if (spec.profile === 'minimal' || spec.ledger.map) return treeSize === undefined ? spec : { ...spec, treeSize };
  return { ...spec, ledger: mappedLedger(spec.ledger, treeSize), scope: { ...MATTER_SCOPE, ...spec.scope } };
}

export function draftOf(given: BundleSpec): Draft {
  const spec = withOwnMap(given);
  const { ledger } = spec;
  const size = spec.treeSize ?? ledger.leaves.length;
  const leaves = size === ledger.leaves.length ? ledger.leaves : ledger.leaves.slice(0, size);
  const root = treeHash(leaves, 0, size);
  const shown = spec.events.map((index) => shownEvent(ledger.entries[index] as MadeEntry, spec));
  const files = new Map<string, Buffer>();
  const acts = ownEntries(ledger, size).map((entry) => madeAct(entry, spec));
  files.set('chain.tsv', Buffer.from(chainText(spec, shown, size, acts)));
  files.set('events.jsonl', Buffer.from(shown.map(({ line }) => `${line}\n`).join('')));
  for (const content of spec.documents ?? []) files.set(`documents/${sha256Hex(content)}`, content);
  if (spec.profile !== 'minimal') {
    files.set('proofs/checkpoint.note', Buffer.from(madeNote(`${ledger.origin}/inc-1`, size, root)));
    const committed = size === ledger.leaves.length && ledger.map ? ledger.entries.slice(-1) : [];
    const mapRows = committed.map((entry) => ledgerLineOf({ entry, state: 'INCLUDED' }));
    const rows = [...shown.map(ledgerLineOf), ...acts.map(actLedgerLine), ...mapRows];
    const ownIndexes = [...acts.map(({ entry }) => entry), ...committed].map(({ treeIndex }) => treeIndex);
    const proofs = [...proofLines(leaves, spec.events), ...proofLines(leaves, ownIndexes)];
    files.set('proofs/facts.jsonl', Buffer.from(acts.map(({ line }) => `${line}\n`).join('')));
    files.set('proofs/ledger.tsv', Buffer.from(LEDGER_HEADER + rows.join('')));
    files.set('proofs/inclusion.jsonl', Buffer.from(proofs.join('')));
    files.set('certificate/fre-902.txt', Buffer.from('A draft, signed by nobody.\n'));
    files.set('verify/README.txt', Buffer.from('How to verify.\n'));
    files.set('verify/verify.mjs', Buffer.from('// a verifier\n'));
    files.set('verify/verify.py', Buffer.from('# a verifier\n'));
  }
  const draft = { manifest: manifestOf(spec, shown, size, root), files, ledger };
  if (ledger.map && spec.profile !== 'minimal' && size === ledger.leaves.length) addMap(draft, spec);
  return draft;
}

/** Adds the logs of the scope's members, and the proof of everything that the bundle rests on. */
export function addMap(draft: Draft, { leftOut = new Map() }: Pick<BundleSpec, 'leftOut'>): void {
  const { ledger, files } = draft;
  const { map, entries } = ledger;
  if (map === undefined) throw new Error('a ledger without a map');
  const { events, scope } = draft.manifest;
  const numbers = new Map(events.map(({ entry_hash }, i) => [entry_hash, i]));
  const rows: string[] = [];
  const logs: ManifestLog[] = scope.member_ids.map((member_id, number) => {
    const id = tagOf(member_id);
    const { entries: listed = [], leaves = [] } = map.logs.get(id) ?? {};
    for (const { entryHash, treeIndex } of listed) {
      const event = numbers.get(entryHash) ?? null;
      rows.push(
        tsvLine([number, treeIndex, entryHash, event, event === null ? (leftOut.get(treeIndex) ?? null) : null]),
      );
    }
    const root = treeHash(leaves, 0, leaves.length).toString('hex');
    return { kind: 'member-log' as const, id, member_id, count: leaves.length, root };
  });
  if (scope.matter_id !== undefined)
    logs.push({ kind: 'matter-log', id: scope.matter_id, count: 0, root: treeHash([], 0, 0).toString('hex') });
  const committed = entries.at(-1);
  draft.manifest = {
    ...draft.manifest,
    map: { tree_size: committed?.treeIndex ?? 0, root: map.root.toString('hex') },
    logs,
  };
  files.set('proofs/logs.tsv', Buffer.from(['log\tcause\tentry_hash\tevent\treason\n', ...rows].join('')));
  files.set('proofs/map.jsonl', Buffer.from([committed?.record ?? '', ...tokenLines(draft)].join('\n')));
}

/** Lines of tokens behind the first line of proofs/map.jsonl. */
export function tokenLines({ manifest, ledger }: Draft): string[] {
  const names = manifest.events.flatMap(({ event_id, state }) =>
    state === 'DISPOSED'
      ? [['disposal', event_id]]
      : [
          ['disposal', event_id],
          ['event-redaction', event_id],
        ],
  );
  for (const { document_id, state } of manifest.documents)
    names.push(['document', document_id], ...(state === 'DISPOSED' ? [] : [['document-redaction', document_id]]));
  for (const { hold_id } of manifest.holds) names.push(['hold', hold_id]);
  const { matter_id } = manifest.scope;
  if (matter_id !== undefined) names.push(['matter', matter_id]);
  for (const { kind, id } of manifest.logs ?? []) {
    names.push([kind, id]);
    if (kind === 'member-log') names.push(['member', id]);
  }
  const tokens = tokensOf(ledger.map?.leaves ?? [], keysOf(names as [string, string][]));
  return [JSON.stringify({ tokens: tokens.toString('base64') }), ''];
}

export const ledgerLineOf = ({ entry, state }: Pick<ShownEvent, 'entry' | 'state'>): string => {
  const { header, seed, entryHash, treeIndex } = entry;
  return ledgerLine({
    ...header,
    seed: state === 'INCLUDED' ? seed.toString('hex') : null,
    entry_hash: entryHash,
    tree_index: treeIndex,
  });
};

/** An act as a bundle shows it. */
export interface ShownAct {
  readonly entry: MadeEntry;
  readonly line: string;
  readonly isWhole: boolean;
  readonly cells: ActCells;
}

function madeAct(entry: MadeEntry, { withheld = [] }: BundleSpec): ShownAct {
  const hidden = new Set(withheld.flatMap((state, i) => (state === 'DISPOSED' ? `doc_withheld_${i}` : [])));
  const { record, seed, header } = entry;
  return {
    entry,
    ...disclosedAct({ record, seed: seed.toString('hex'), source_system: header.source_system }, hidden),
  };
}

const actLedgerLine = ({ entry, isWhole }: ShownAct): string =>
  ledgerLineOf({ entry, state: isWhole ? 'INCLUDED' : 'REDACTED' });

/** What the service did itself, within a tree. */
export const ownEntries = ({ entries }: MadeLedger, size: number): readonly MadeEntry[] =>
  entries.slice(0, size).filter(({ header }) => /^_(?!map)/.test(header.source_system));

/** Rows of the events, and of what the service did in between, in the order of the tree. */
function chainText(
  { ledger }: BundleSpec,
  shown: readonly ShownEvent[],
  size: number,
  acts: readonly ShownAct[],
): string {
  const byIndex = new Map(shown.map((one) => [one.entry.treeIndex, one]));
  const actsByIndex = new Map(acts.map((one) => [one.entry.treeIndex, one]));
  let n = 0;
  const rows = ledger.entries.slice(0, size).flatMap((entry) => {
    const { header, entryHash, treeIndex } = entry;
    const act = actsByIndex.get(treeIndex);
    const event = byIndex.get(treeIndex);
    if (act === undefined && event === undefined) return [];
    const appended = {
      at: header.recorded_at,
      kind: 'LEDGER',
      subject_type: 'EVENT',
      subject_id: header.event_id,
      action: 'APPENDED',
      actor_type: 'SERVICE',
      actor_id: null,
      purpose: null,
      recipient: null,
      sha256_before: null,
      sha256_after: event?.state === 'INCLUDED' ? entry.sha256 : null,
    } as const;
    return chainLine({
      n: ++n,
      ...(act?.cells ?? appended),
      partition: header.source_system,
      seq: header.seq,
      prev_hash: header.prev,
      entry_hash: entryHash,
    });
  });
  return CHAIN_HEADER + rows.join('');
}

function manifestOf(spec: BundleSpec, shown: readonly ShownEvent[], size: number, root: Buffer): UnsignedManifest {
  const { ledger } = spec;
  const scope: ManifestScope = {
    tenant_id: ledger.tenantId,
    ...(spec.scope?.matter_id === undefined ? { member_id: 'M-1', member_ids: ['M-0', 'M-1'] } : MATTER_SCOPE),
    ...spec.scope,
  };
  const events = shown.map(({ entry, line, state }) => ({
    event_id: entry.header.event_id,
    sha256: sha256Hex(line),
    source_system: entry.header.source_system,
    seq: entry.header.seq,
    entry_hash: entry.entryHash,
    tree_index: entry.treeIndex,
    state,
  }));
  const documents = documentsOf(spec, events[0]?.event_id);
  const heads = new Map(
    ledger.entries
      .slice(0, size)
      .map(({ header, entryHash }) => [header.source_system, { seq: header.seq, hash: entryHash }]),
  );
  const redacted = events.filter(({ state }) => state === 'REDACTED');
  return {
    schema: 'eas.bundle-manifest/v2',
    bundle_id: 'bun_01',
    bundle_type: scope.matter_id === undefined ? 'MEMBER' : 'MATTER',
    requested_by: 'key_01',
    requested_at: '2026-03-02T23:59:00.000Z',
    sealed_at: SEALED_AT,
    scope,
    generator: { name: 'test', version: '1' },
    counts: {
      events: events.length,
      documents: documents.length,
      redacted: redacted.length,
      disposed: [...events, ...documents].filter(({ state }) => state === 'DISPOSED').length,
      quarantined: documents.filter(({ state }) => state === 'QUARANTINED').length,
    },
    ...(spec.consent === undefined ? {} : { consent: spec.consent }),
    events,
    documents,
    files: [],
    worm_head_hash: root.toString('hex'),
    ledger: {
      origin: ledger.origin,
      incarnation: 1,
      tree_size: size,
      root_hash: root.toString('hex'),
      heads: [...heads].sort().map(([source_system, head]) => ({ source_system, ...head })),
    },
    holds: [],
    redactions: redacted.map(({ event_id }) => ({ redaction_id: REDACTION, kind: 'EVENT', id: event_id })),
    regenerated_from: null,
    content_digest: contentDigest(scope, events, documents),
    signing_key_id: thumbprintOf(BUNDLE_SEED),
    signing_public_key_jwk: ed25519Jwk(BUNDLE_SEED),
  };
}

function documentsOf({ documents = [], withheld = [] }: BundleSpec, eventId: string | undefined): ManifestDocument[] {
  const referenced_by = eventId === undefined ? [] : [eventId];
  return [
    ...documents.map((content) => ({
      document_id: documentIdOf(content),
      sha256: sha256Hex(content),
      size: content.length,
      media_type: 'application/pdf',
      referenced_by,
      state: 'INCLUDED' as const,
    })),
    ...withheld.map((state, i) => ({
      document_id: `doc_withheld_${i}`,
      sha256: state === 'DISPOSED' ? null : sha256Hex(`content ${i}`),
      size: 9,
      media_type: 'text/plain',
      referenced_by: [],
      state,
    })),
  ];
}

/** Lines of proofs/inclusion.jsonl, from all leaves. */
export function proofLines(leaves: readonly Buffer[], events: readonly number[]): string[] {
  const blocks: Buffer[] = [];
  for (let from = 0; from < leaves.length; from += BLOCK_LEAVES) {
    blocks.push(treeHash(leaves, from, Math.min(from + BLOCK_LEAVES, leaves.length)));
  }
  const wanted = new Set(events);
  const numbers = [...new Set(events.map((index) => Math.floor(index / BLOCK_LEAVES)))];
  return numbers.map((block) => {
    const nodes: string[] = [];
    const visit = (from: number, to: number): void => {
      const held = Array.from({ length: to - from }, (_, i) => from + i).some((index) => wanted.has(index));
      if (!held) nodes.push(treeHash(leaves, from, to).toString('hex'));
      if (!held || to - from === 1) return;
      const middle = from + splitOf(to - from);
      visit(from, middle);
      visit(middle, to);
    };
    visit(block * BLOCK_LEAVES, Math.min((block + 1) * BLOCK_LEAVES, leaves.length));
    return inclusionLine({ block, nodes, path: treePath(blocks, block).map((hash) => hash.toString('hex')) });
  });
}

/** The draft with its files listed, in the order that the manifest's documents ask for. */
export function listFiles(draft: Draft): void {
  const profile = draft.files.has('proofs/ledger.tsv') ? 'full' : 'minimal';
  const hashes = [...draft.files.keys()].filter((path) => path.startsWith('documents/')).map((path) => path.slice(10));
  const ordered = entryPaths(hashes, profile).filter((path) => draft.files.has(path));
  const others = [...draft.files.keys()].filter((path) => !ordered.includes(path));
  const files = [...ordered, ...others].map((path) => {
    const bytes = draft.files.get(path) as Buffer;
    return { path, size: bytes.length, sha256: sha256Hex(bytes) };
  });
  draft.manifest = { ...draft.manifest, files };
}

/** Signs the manifest as it is. @returns the entries of the archive, in order */
export function signedEntries(draft: Draft, seed: Buffer = BUNDLE_SEED): WrittenEntry[] {
  const { manifest, files, ledger } = draft;
  const isFull = manifest.files.some(({ path }) => path.startsWith('proofs/'));
  const made = isFull ? madeSealing(ledger, sealingEntry(ledger, manifest)) : null;
  const sealing = draft.sealing === undefined ? made : draft.sealing;
  const inner = ed25519Sign(seed, Buffer.from(unsignedManifestText(manifest)));
  const bytes = Buffer.from(manifestText(manifest, inner));
  return [
    { name: 'manifest.json', data: bytes },
    { name: 'signature.sig', data: ed25519Sign(seed, bytes) },
    ...(sealing === null ? [] : [{ name: SEALING_PATH, data: sealing }]),
    ...manifest.files.map(({ path }) => ({ name: path, data: files.get(path) as Buffer })),
  ];
}
