import { SEALING } from '../archive/entry-names.js';
import { sameBytes } from '../hashing/tree.js';
import { fromUtf8 } from '../text/bytes.js';
import { type NoteKey, standingOf } from '../trust/notes.js';
import type { ActFields } from './act-records.js';
import type { BundleContext } from './context.js';
import { blockProofOf } from './inclusion.js';
import { fieldsOf, isSealing, noteIn, provenRoot, type Sealing, sealingIn } from './sealed-fact.js';

const MAX_BYTES = 2 ** 20;
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
  const fields = fieldsOf(context.platform, sealing, context.manifest.head.tenant_id);
  if (typeof fields === 'string') broken(['SEALING_FACT', fields]);
  else if (!isOfManifest(context, sealing, fields))
    broken(['SEALING_OTHER', 'the fact is of another bundle, scope or manifest']);
  findings.done('sealing', `entry ${sealing.tree_index} of the tree`);
}

async function proofFaults(
  { platform, manifest }: BundleContext,
  sealing: Sealing,
  keys: readonly NoteKey[],
): Promise<Fault[]> {
  const { ledger, tenant_id } = manifest.head;
  const { note: noteText, proof: given, tree_index: index } = sealing;
  const note = noteIn(noteText);
  const proof = blockProofOf(given);
  if (note === undefined || proof === undefined) return [['SEALING_FORM', 'not the proof of a fact']];
  const faults: Fault[] = [];
  if (note.origin !== `${ledger.origin}/inc-${ledger.incarnation}` || note.size <= ledger.tree_size)
    faults.push(['SEALING_CHECKPOINT', 'not a later checkpoint of the same log']);
  const root = index >= ledger.tree_size ? provenRoot(platform, sealing, tenant_id, note, proof) : undefined;
  if (root === undefined || !sameBytes(root, note.root))
    faults.push(['SEALING_PROOF', "the fact is not proven in the checkpoint's tree"]);
  const standing = await standingOf(platform, note, keys);
  if (standing === 'forged' || (standing === 'unknown-key' && keys.length > 0))
    faults.push(['SEALING_SIGNATURE', "the checkpoint of the fact does not bear the log's signature"]);
  return faults;
}

/** Members of the scope that the request states; the build adds `member_ids`. */
const SCOPE = ['tenant_id', 'member_id', 'matter_id', 'incident_id', 'from', 'to'] as const;

function isOfManifest({ platform, manifest }: BundleContext, { header }: Sealing, fields: ActFields): boolean {
  const { bundle_id, content_digest, scope } = manifest.head;
  const says = (pointer: string, value: unknown): boolean => fields.get(pointer) === value;
  return (
    isSealing(header.source_system, fields) &&
    says('/payload/subject/id', bundle_id) &&
    says('/payload/content_digest', content_digest) &&
    says('/payload/manifest_sha256', platform.sha256Hex(manifest.unsignedText())) &&
    SCOPE.every((name) => says(`/payload/state/scope/${name}`, scope[name]))
  );
}
