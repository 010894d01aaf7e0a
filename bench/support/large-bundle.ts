import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ed25519Sign } from '../../shared/crypto/ed25519.js';
import { sha256Hex } from '../../shared/crypto/hash.js';
import { ContentDigest, digestedEventText } from '../../shared/evidence/bundle/content-digest.js';
import { BLOCK_LEAVES, inclusionLine } from '../../shared/evidence/bundle/inclusion.js';
import { type ManifestFile, manifestEventText, manifestFrame } from '../../shared/evidence/bundle/manifest.js';
import { CHAIN_HEADER, chainLine, LEDGER_HEADER } from '../../shared/evidence/bundle/tsv.js';
import { leafHash, nodeHash } from '../../shared/merkle/hashes.js';
import { EMPTY_SUBTREE } from '../../shared/state-map/hashes.js';
import { type ArchiveEntry, zipOf } from '../../shared/zip/write-archive.js';
import { type Spool, Spools } from '../../subgraphs/bundles/archive/adapters/spool.js';
import { sealingAct } from '../../test/verifier/made-acts.js';
import { BUNDLE_SEED, draftOf, ledgerLineOf, madeNote } from '../../test/verifier/make-bundle.js';
import {
  type Act,
  laterAct,
  type MadeEntry,
  madeEntries,
  makeLedger,
  splitOf,
  TENANT,
  treeHash,
  treePath,
} from '../../test/verifier/make-ledger.js';
import { lastLeafProof, sealingOf } from '../../test/verifier/make-sealing.js';

// Writes a valid bundle over every event of a generated ledger, in chunks: a million events are too long for one string. It is
// about a matter without a log, so that its map is empty and its size is that of the events.

const SEED = 1;

interface Walked {
  readonly lines: Spool;
  readonly chain: Spool;
  readonly ledger: Spool;
  readonly manifestEvents: readonly Buffer[];
  readonly digest: ContentDigest;
  readonly heads: ReadonlyMap<string, { readonly seq: number; readonly hash: string }>;
  /** The entry `map.committed`, the last leaf of the tree. */
  readonly committed: MadeEntry;
  readonly blocks: readonly Buffer[];
  /** Leaves of the last block. */
  readonly lastLeaves: readonly Buffer[];
}

/** Writes the bundle. @param events number of events */
export async function writeLargeBundle(path: string, events: number): Promise<void> {
  const spools = new Spools(dirname(path), 'large-bundle');
  try {
    await pipeline(Readable.from(zipOf(await entriesOf(spools, events))), createWriteStream(path));
  } finally {
    await spools.close();
  }
}

/** The members of a manifest that do not depend on its events. */
const template = () => draftOf({ ledger: makeLedger({ seed: SEED, entries: 1 }), events: [] });

async function walked(spools: Spools, events: number): Promise<Walked> {
  const [lines, chain, ledger] = [await spools.next(), await spools.next(), await spools.next()];
  const digest = new ContentDigest(template().manifest.scope, []);
  const heads = new Map<string, { seq: number; hash: string }>();
  const [manifestEvents, blocks]: [Buffer[], Buffer[]] = [[], []];
  let leaves: Buffer[] = [];
  const addLeaf = ({ entryHash, treeIndex }: MadeEntry): void => {
    if (treeIndex > 0 && treeIndex % BLOCK_LEAVES === 0) {
      blocks.push(treeHash(leaves, 0, leaves.length));
      leaves = [];
    }
    leaves.push(leafHash(Buffer.from(entryHash, 'hex')));
  };
  await chain.write(CHAIN_HEADER);
  await ledger.write(LEDGER_HEADER);
  for (const entry of madeEntries({ seed: SEED, entries: events })) {
    const separator = entry.treeIndex === 0 ? '' : ',';
    const listed = listedEvent(entry);
    await lines.write(`${entry.record}\n`);
    await chain.write(chainRow(entry));
    await ledger.write(ledgerLineOf({ entry, state: 'INCLUDED' }));
    manifestEvents.push(Buffer.from(separator + manifestEventText(listed)));
    digest.update(separator + digestedEventText(listed));
    heads.set(entry.header.source_system, { seq: entry.header.seq, hash: entry.entryHash });
    addLeaf(entry);
  }
  const committed = laterAct({ tenantId: TENANT, leaves: { length: events } }, mapAct(events));
  await ledger.write(ledgerLineOf({ entry: committed, state: 'INCLUDED' }));
  heads.set(committed.header.source_system, { seq: committed.header.seq, hash: committed.entryHash });
  addLeaf(committed);
  blocks.push(treeHash(leaves, 0, leaves.length));
  return { lines, chain, ledger, manifestEvents, digest, heads, committed, blocks, lastLeaves: leaves };
}

const EMPTY_MAP = EMPTY_SUBTREE.toString('hex');

const mapAct = (size: number): Act => ({
  source_system: '_map',
  event_family: 'ledger',
  event_type: 'map.committed',
  source_record_id: `map/${size}`,
  payload: { map: 'eas.map/v1', tree_size: size, root: EMPTY_MAP },
});

/** The hash over leaves [from, to): whole blocks, or a part of the last one. */
function hashOfRange(made: Pick<Walked, 'blocks' | 'lastLeaves'>, size: number, from: number, to: number): Buffer {
  const { blocks, lastLeaves } = made;
  const block = Math.floor(from / BLOCK_LEAVES);
  const start = block * BLOCK_LEAVES;
  if (from === start && to === Math.min(start + BLOCK_LEAVES, size)) return blocks[block] ?? Buffer.alloc(0);
  if (to - from < BLOCK_LEAVES) return treeHash(lastLeaves, from - start, to - start);
  const middle = from + splitOf(to - from);
  return nodeHash(hashOfRange(made, size, from, middle), hashOfRange(made, size, middle, to));
}

const listedEvent = ({ header, sha256, entryHash, treeIndex }: MadeEntry) => ({
  event_id: header.event_id,
  sha256,
  source_system: header.source_system,
  seq: header.seq,
  entry_hash: entryHash,
  tree_index: treeIndex,
  state: 'INCLUDED' as const,
});

const chainRow = ({ header, sha256, entryHash, treeIndex }: MadeEntry): string =>
  chainLine({
    n: treeIndex + 1,
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
    sha256_after: sha256,
    partition: header.source_system,
    seq: header.seq,
    prev_hash: header.prev,
    entry_hash: entryHash,
  });

/** Proofs of all events, and then that of `map.committed`. */
async function inclusionOf(spools: Spools, made: Walked, events: number): Promise<Spool> {
  const inclusion = await spools.next();
  const mapLeaf = leafHash(Buffer.from(made.committed.entryHash, 'hex')).toString('hex');
  const eventBlocks = Math.ceil(events / BLOCK_LEAVES);
  for (let block = 0; block < eventBlocks; block++) {
    const path = treePath(made.blocks, block).map((hash) => hash.toString('hex'));
    const nodes = Math.floor(events / BLOCK_LEAVES) === block ? [mapLeaf] : [];
    await inclusion.write(inclusionLine({ block, nodes, path }));
  }
  await inclusion.write(
    inclusionLine(lastLeafProof((from, to) => hashOfRange(made, events + 1, from, to), events + 1)),
  );
  return inclusion;
}

async function entriesOf(spools: Spools, events: number): Promise<readonly ArchiveEntry[]> {
  const made = await walked(spools, events);
  const size = events + 1;
  const inclusion = await inclusionOf(spools, made, events);
  const { manifest, files } = template();
  const root = treeHash(made.blocks, 0, made.blocks.length);
  const note = Buffer.from(madeNote(`${manifest.ledger.origin}/inc-1`, size, root));
  const small = (path: string): ArchiveEntry => bufferEntry(path, files.get(path) ?? Buffer.alloc(0));
  const listed = [
    await spooledEntry('chain.tsv', made.chain),
    await spooledEntry('events.jsonl', made.lines),
    bufferEntry('proofs/checkpoint.note', note),
    await spooledEntry('proofs/ledger.tsv', made.ledger),
    await spooledEntry('proofs/inclusion.jsonl', inclusion),
    small('proofs/facts.jsonl'),
    bufferEntry('proofs/map.jsonl', Buffer.from(`${made.committed.record}\n{"tokens":"AA=="}\n`)),
    small('proofs/logs.tsv'),
    ...['certificate/fre-902.txt', 'verify/README.txt', 'verify/verify.mjs', 'verify/verify.py'].map(small),
  ];
  const body = {
    ...manifest,
    counts: { ...manifest.counts, events },
    files: await Promise.all(listed.map(fileOf)),
    worm_head_hash: root.toString('hex'),
    ledger: {
      ...manifest.ledger,
      tree_size: size,
      root_hash: root.toString('hex'),
      heads: [...made.heads].sort().map(([source_system, head]) => ({ source_system, ...head })),
    },
    map: { tree_size: events, root: EMPTY_MAP },
    content_digest: made.digest.hex(),
  };
  const text = (signature?: Buffer): Buffer => {
    const { before, after } = manifestFrame(body, signature);
    return Buffer.concat([Buffer.from(before), ...made.manifestEvents, Buffer.from(after)]);
  };
  const unsigned = text();
  const signed = text(ed25519Sign(BUNDLE_SEED, unsigned));
  const details = { content_digest: body.content_digest, manifest_sha256: sha256Hex(unsigned) };
  const place = { tenantId: body.scope.tenant_id, leaves: { length: size } };
  const fact = laterAct(place, sealingAct(body.bundle_id, body.scope, details));
  const sealing = sealingOf(fact, body.ledger.origin, (from, to) => hashOfRange(made, size, from, to));
  return [
    bufferEntry('manifest.json', signed),
    bufferEntry('signature.sig', ed25519Sign(BUNDLE_SEED, signed)),
    bufferEntry('proofs/sealing.json', sealing),
    ...listed,
  ];
}

const bufferEntry = (path: string, content: Buffer): ArchiveEntry => ({ path, size: content.length, content });

const spooledEntry = async (path: string, spool: Spool): Promise<ArchiveEntry> => ({
  path,
  size: (await spool.finish()).size,
  content: () => spool.read(),
});

async function fileOf({ path, size, content }: ArchiveEntry): Promise<ManifestFile> {
  if (Buffer.isBuffer(content)) return { path, size, sha256: sha256Hex(content) };
  return { path, size, sha256: await hashOf(content()) };
}

async function hashOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}
