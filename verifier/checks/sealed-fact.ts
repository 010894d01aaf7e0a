import { Commitments } from '../hashing/commitments.js';
import { entryHash } from '../hashing/links.js';
import { sameBytes, TreeHasher } from '../hashing/tree.js';
import { count, hash, instant, object, orNull, type Read, ShapeFault, text } from '../manifest/members.js';
import type { Platform } from '../platform.js';
import { fromHex } from '../text/bytes.js';
import { isCanonical } from '../text/canonical-scanner.js';
import { type Checkpoint, NoteFault, noteKey, readCheckpoint, standingOf } from '../trust/notes.js';
import { type ActFields, readAct } from './act-records.js';
import { BLOCK_LEAVES, type BlockProof, blockProofOf, rootOfBlock } from './inclusion.js';

// proofs/sealing.json (evidence.md section 5): the fact `bundle.sealing`, its place in the log, and the checkpoint over it.

const any: Read<unknown> = (_, value) => value;

const readSealing = object({
  act: any,
  header: object({
    commit: hash,
    event_id: text,
    fields: hash,
    member_tag: orNull(hash),
    prev: hash,
    recorded_at: instant,
    seq: count,
    source_system: text,
  }),
  note: text,
  proof: any,
  tree_index: count,
});
export type Sealing = ReturnType<typeof readSealing>;

export function sealingIn(json: string): Sealing | undefined {
  if (!isCanonical(json)) return undefined;
  try {
    return readSealing('', JSON.parse(json));
  } catch (fault) {
    if (fault instanceof ShapeFault) return undefined;
    throw fault;
  }
}

export function noteIn(noteText: string): Checkpoint | undefined {
  try {
    return readCheckpoint(noteText);
  } catch (fault) {
    if (fault instanceof NoteFault) return undefined;
    throw fault;
  }
}

/** The root of the checkpoint's tree that the proof leads to; undefined for a proof of another place. */
export function provenRoot(
  platform: Platform,
  { header, tree_index: index }: Sealing,
  tenantId: string,
  note: Checkpoint,
  proof: BlockProof,
): Uint8Array | undefined {
  if (index >= note.size || proof.block !== Math.floor(index / BLOCK_LEAVES)) return undefined;
  const entry = fromHex(entryHash(platform, header, JSON.stringify(tenantId)));
  return rootOfBlock(new TreeHasher(platform), note.size, proof, [index], entry);
}

/** The disclosed fields of the fact, or why the header does not commit to them. */
export function fieldsOf(
  platform: Platform,
  { act, header, tree_index }: Sealing,
  tenantId: string,
): ActFields | string {
  const row = { ...header, seed: null, entry_hash: '', tree_index };
  return readAct(new Commitments(platform), JSON.stringify(act), row, tenantId);
}

export const isSealing = (sourceSystem: string, fields: ActFields): boolean =>
  sourceSystem === '_records' &&
  fields.get('/event_type') === 'bundle.sealing' &&
  fields.get('/payload/fact') === 'eas.fact/v2' &&
  fields.get('/payload/subject/kind') === 'bundle';

/** What a proven fact says. */
interface SealedFact {
  /** Origin and size of the checkpoint that proves it. */
  readonly origin: string;
  readonly treeSize: number;
  readonly manifestSha256: string;
}

/**
 * Reads and proves the fact without its bundle.
 *
 * @param checkpointKeys public points, 32 bytes each, of which one must have signed the checkpoint
 * @returns the fact, or its fault
 */
export async function sealedFact(
  platform: Platform,
  json: string,
  tenantId: string,
  checkpointKeys: readonly Uint8Array[],
): Promise<SealedFact | string> {
  const sealing = sealingIn(json);
  const note = sealing && noteIn(sealing.note);
  const proof = sealing && blockProofOf(sealing.proof);
  if (!sealing || !note || !proof) return 'not the proof of a fact';
  const root = provenRoot(platform, sealing, tenantId, note, proof);
  if (root === undefined || !sameBytes(root, note.root)) return "the fact is not proven in the checkpoint's tree";
  const keys = checkpointKeys.map((point) => noteKey(platform, note.origin, point));
  if ((await standingOf(platform, note, keys)) !== 'signed') return 'the checkpoint of the fact has another signature';
  const fields = fieldsOf(platform, sealing, tenantId);
  if (typeof fields === 'string') return fields;
  const manifestSha256 = fields.get('/payload/manifest_sha256');
  if (!isSealing(sealing.header.source_system, fields) || typeof manifestSha256 !== 'string')
    return 'the fact is not of a bundle';
  return { origin: note.origin, treeSize: note.size, manifestSha256 };
}
