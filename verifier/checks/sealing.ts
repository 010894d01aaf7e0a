import { SEALING } from '../archive/entry-names.js';
import { Commitments } from '../hashing/commitments.js';
import { entryHash } from '../hashing/links.js';
import { sameBytes, TreeHasher } from '../hashing/tree.js';
import { count, hash, instant, object, orNull, type Read, ShapeFault, text } from '../manifest/members.js';
import { fromHex, fromUtf8 } from '../text/bytes.js';
import { isCanonical } from '../text/canonical-scanner.js';
import { type Checkpoint, NoteFault, type NoteKey, readCheckpoint, standingOf } from '../trust/notes.js';
import { type ActFields, readAct } from './act-records.js';
import type { BundleContext } from './context.js';
import { BLOCK_LEAVES, blockProofOf, rootOfBlock } from './inclusion.js';

const MAX_BYTES = 2 ** 20;
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
type Sealing = ReturnType<typeof readSealing>;

type Fault = readonly [code: string, detail: string];

/**
 * Checks that the log holds the fact `bundle.sealing` of this very manifest, under a checkpoint after that of the bundle
 * (evidence.md section 5). A copied key alone cannot make one.
 *
 * @param keys keys of checkpoints that the caller trusts
 */
export async function checkSealing(context: BundleContext, keys: readonly NoteKey[]): Promise<void> {
  const { findings, entries, open, profile } = context;
  if (profile === 'minimal') return;
  const broken = ([code, detail]: Fault): void => findings.broken('sealing', code, SEALING, detail);
  const entry = entries.get(SEALING);
  if (entry === undefined) {
    broken(['SEALING_MISSING', 'the entry is missing']);
    return;
  }
  const bytes = entry.size > MAX_BYTES ? undefined : await open(SEALING)?.next();
  const sealing = sealingIn(fromUtf8(bytes ?? new Uint8Array(0)) ?? '');
  if (sealing === undefined) {
    broken(['SEALING_FORM', 'not the proof of a fact']);
    return;
  }
  for (const fault of await proofFaults(context, sealing, keys)) broken(fault);
  const row = { ...sealing.header, seed: null, entry_hash: '', tree_index: sealing.tree_index };
  const line = JSON.stringify(sealing.act);
  const fields = readAct(new Commitments(context.platform), line, row, context.manifest.head.tenant_id);
  if (typeof fields === 'string') broken(['SEALING_FACT', fields]);
  else if (!isOfManifest(context, sealing, fields))
    broken(['SEALING_OTHER', 'the fact is of another bundle, scope or manifest']);
  findings.done('sealing', `entry ${sealing.tree_index} of the tree`);
}

function sealingIn(json: string): Sealing | undefined {
  if (!isCanonical(json)) return undefined;
  try {
    return readSealing('', JSON.parse(json));
  } catch (fault) {
    if (fault instanceof ShapeFault) return undefined;
    throw fault;
  }
}

async function proofFaults(
  { platform, manifest }: BundleContext,
  { header, note: noteText, proof: given, tree_index: index }: Sealing,
  keys: readonly NoteKey[],
): Promise<Fault[]> {
  const { ledger, tenant_id } = manifest.head;
  const note = noteIn(noteText);
  const proof = blockProofOf(given);
  if (note === undefined || proof === undefined) return [['SEALING_FORM', 'not the proof of a fact']];
  const faults: Fault[] = [];
  if (note.origin !== `${ledger.origin}/inc-${ledger.incarnation}` || note.size <= ledger.tree_size)
    faults.push(['SEALING_CHECKPOINT', 'not a later checkpoint of the same log']);
  const entry = fromHex(entryHash(platform, header, JSON.stringify(tenant_id)));
  const isPlaced = index < note.size && proof.block === Math.floor(index / BLOCK_LEAVES) && index >= ledger.tree_size;
  const root = isPlaced ? rootOfBlock(new TreeHasher(platform), note.size, proof, [index], entry) : undefined;
  if (root === undefined || !sameBytes(root, note.root))
    faults.push(['SEALING_PROOF', "the fact is not proven in the checkpoint's tree"]);
  const standing = await standingOf(platform, note, keys);
  if (standing === 'forged' || (standing === 'unknown-key' && keys.length > 0))
    faults.push(['SEALING_SIGNATURE', "the checkpoint of the fact does not bear the log's signature"]);
  return faults;
}

function noteIn(noteText: string): Checkpoint | undefined {
  try {
    return readCheckpoint(noteText);
  } catch (fault) {
    if (fault instanceof NoteFault) return undefined;
    throw fault;
  }
}

/** Members of the scope that the request states; the build adds `member_ids`. */
const SCOPE = ['tenant_id', 'member_id', 'matter_id', 'incident_id', 'from', 'to'] as const;

function isOfManifest({ platform, manifest }: BundleContext, { header }: Sealing, fields: ActFields): boolean {
  const { bundle_id, content_digest, scope } = manifest.head;
  const says = (pointer: string, value: unknown): boolean => fields.get(pointer) === value;
  return (
    header.source_system === '_records' &&
    says('/event_type', 'bundle.sealing') &&
    says('/payload/fact', 'eas.fact/v2') &&
    says('/payload/subject/kind', 'bundle') &&
    says('/payload/subject/id', bundle_id) &&
    says('/payload/content_digest', content_digest) &&
    says('/payload/manifest_sha256', platform.sha256Hex(manifest.unsignedText())) &&
    SCOPE.every((name) => says(`/payload/state/scope/${name}`, scope[name]))
  );
}
