import { ed25519Jwk, ed25519Sign } from '../../shared/crypto/ed25519.js';
import { sha256, sha256Hex } from '../../shared/crypto/hash.js';
import { contentDigest } from '../../shared/evidence/bundle/content-digest.js';
import { entryPaths } from '../../shared/evidence/bundle/entries.js';
import { disposedLine } from '../../shared/evidence/bundle/event-lines.js';
import { BLOCK_LEAVES, inclusionLine } from '../../shared/evidence/bundle/inclusion.js';
import {
  type ManifestConsent,
  type ManifestDocument,
  type ManifestEvent,
  type ManifestScope,
  manifestText,
  type UnsignedManifest,
  unsignedManifestText,
} from '../../shared/evidence/bundle/manifest.js';
import { CHAIN_HEADER, chainLine, LEDGER_HEADER, ledgerLine } from '../../shared/evidence/bundle/tsv.js';
import { redactedLine } from '../../shared/evidence/redacted-line.js';
import { formatCheckpoint } from '../../shared/notes/checkpoint.js';
import { NOTE_SIGNATURE, noteKey, verifierText } from '../../shared/notes/note-keys.js';
import { formatNote } from '../../shared/notes/signed-note.js';
import { type MadeEntry, type MadeLedger, splitOf, treeHash, treePath } from './make-ledger.js';
import type { WrittenEntry } from './zip-writer.js';

export const BUNDLE_SEED = sha256('the key of bundles');
export const OTHER_SEED = sha256('a key of somebody else');
export const CHECKPOINT_SEED = sha256('the key of checkpoints');
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
}

/** A bundle before its hashes are taken: what is changed here is sealed and signed as if it were true. */
export interface Draft {
  manifest: UnsignedManifest;
  readonly files: Map<string, Buffer>;
}

/** A signed note over a tree. */
export function madeNote(origin: string, size: number, root: Buffer, seed = CHECKPOINT_SEED): string {
  const text = formatCheckpoint({ origin, size, root });
  const key = checkpointKey(origin, seed);
  return formatNote({
    text,
    signatures: [{ name: origin, keyId: key.id, signature: ed25519Sign(seed, Buffer.from(text)) }],
  });
}

export const checkpointKey = (origin: string, seed = CHECKPOINT_SEED) =>
  noteKey(origin, NOTE_SIGNATURE, Buffer.from(ed25519Jwk(seed).x, 'base64url'));
export const checkpointVerifier = (origin: string): string => verifierText(checkpointKey(origin));

const REDACTION = 'red_00000000000000000000000001';

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

export function draftOf(spec: BundleSpec): Draft {
  const { ledger } = spec;
  const size = spec.treeSize ?? ledger.leaves.length;
  const leaves = size === ledger.leaves.length ? ledger.leaves : ledger.leaves.slice(0, size);
  const root = treeHash(leaves, 0, size);
  const shown = spec.events.map((index) => shownEvent(ledger.entries[index] as MadeEntry, spec));
  const files = new Map<string, Buffer>();
  files.set('chain.tsv', Buffer.from(chainText(spec, shown, size)));
  files.set('events.jsonl', Buffer.from(shown.map(({ line }) => `${line}\n`).join('')));
  for (const content of spec.documents ?? []) files.set(`documents/${sha256Hex(content)}`, content);
  if (spec.profile !== 'minimal') {
    files.set('proofs/checkpoint.note', Buffer.from(madeNote(`${ledger.origin}/inc-1`, size, root)));
    const own = ownEntries(ledger, size);
    const rows = [...shown.map(ledgerLineOf), ...own.map(ownLineOf)];
    const ownIndexes = own.map(({ treeIndex }) => treeIndex);
    const proofs = [...proofLines(leaves, spec.events), ...proofLines(leaves, ownIndexes)];
    files.set('proofs/ledger.tsv', Buffer.from(LEDGER_HEADER + rows.join('')));
    files.set('proofs/inclusion.jsonl', Buffer.from(proofs.join('')));
    files.set('certificate/fre-902.txt', Buffer.from('A draft, signed by nobody.\n'));
    files.set('verify/README.txt', Buffer.from('How to verify.\n'));
    files.set('verify/verify.mjs', Buffer.from('// a verifier\n'));
    files.set('verify/verify.py', Buffer.from('# a verifier\n'));
  }
  return { manifest: manifestOf(spec, shown, size, root), files };
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

const ownLineOf = (entry: MadeEntry): string => ledgerLineOf({ entry, state: 'DISPOSED' });

/** What the service did itself, within a tree. */
export const ownEntries = ({ entries }: MadeLedger, size: number): readonly MadeEntry[] =>
  entries.slice(0, size).filter(({ header }) => header.source_system.startsWith('_'));

/** Rows of the events, and of what the service did in between, in the order of the tree. */
function chainText({ ledger }: BundleSpec, shown: readonly ShownEvent[], size: number): string {
  const byIndex = new Map(shown.map((one) => [one.entry.treeIndex, one]));
  let n = 0;
  const rows = ledger.entries.slice(0, size).flatMap((entry) => {
    const { header, entryHash, treeIndex } = entry;
    const own = header.source_system.startsWith('_');
    const event = byIndex.get(treeIndex);
    if (!own && event === undefined) return [];
    const kind = header.source_system === '_custody' ? 'CUSTODY' : own ? 'SYSTEM' : 'LEDGER';
    return chainLine({
      n: ++n,
      at: header.recorded_at,
      kind,
      subject_type: own ? 'BUNDLE' : 'EVENT',
      subject_id: header.event_id,
      action: kind === 'SYSTEM' ? 'records.disposed' : kind === 'CUSTODY' ? 'READ_RAW' : 'APPENDED',
      actor_type: 'SERVICE',
      actor_id: own ? 'tab\there' : null,
      purpose: own ? '-' : null,
      recipient: null,
      sha256_before: null,
      sha256_after: event?.state === 'INCLUDED' ? entry.sha256 : null,
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
  const scope: ManifestScope = { tenant_id: ledger.tenantId, member_id: 'M-1', member_ids: ['M-0', 'M-1'] };
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
    schema: 'eas.bundle-manifest/v1',
    bundle_id: 'bun_01',
    bundle_type: 'MEMBER',
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
    ...documents.map((content, i) => ({
      document_id: `doc_${i}`,
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
export function signedEntries({ manifest, files }: Draft, seed: Buffer = BUNDLE_SEED): WrittenEntry[] {
  const inner = ed25519Sign(seed, Buffer.from(unsignedManifestText(manifest)));
  const bytes = Buffer.from(manifestText(manifest, inner));
  return [
    { name: 'manifest.json', data: bytes },
    { name: 'signature.sig', data: ed25519Sign(seed, bytes) },
    ...manifest.files.map(({ path }) => ({ name: path, data: files.get(path) as Buffer })),
  ];
}
