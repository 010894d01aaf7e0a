import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { TreeView } from '../../../shared/merkle/tree-view.js';
import { verifyConsistency } from '../../../shared/merkle/verify-proofs.js';
import { NOTE_SIGNATURE, type NoteKey, noteKey } from '../../../shared/notes/note-keys.js';
import { parseNote } from '../../../shared/notes/signed-note.js';
import { type Baseline, type BaselineDeps, baselinesOf, Regress, refuseContradicted } from './checkpoint-baseline.js';
import { checkpointOrigin } from './domain.js';
import type { Witnesses } from './ports/checkpoint-sinks.js';
import type { CheckpointRow, TenantTree } from './ports/tree-store.js';
import { StoredTiles, TreeFault } from './tree-tiles.js';

export interface ProveDeps extends BaselineDeps {
  readonly signingKeys: SigningKeys;
  /** `<deployment>` of every origin. */
  readonly deployment: string;
  /** Null if none are configured. */
  readonly witnesses: Witnesses | null;
}

/** The tree to compare. */
export interface TreeInput {
  readonly tenantId: TenantId;
  readonly logId: string;
  readonly tree: TenantTree;
  readonly incarnation: number;
  /** The last checkpoint of any incarnation. */
  readonly last: CheckpointRow | null;
}

/** The stored tree, proven to extend every known note. */
interface ProvenTree {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
  readonly view: TreeView;
  readonly keyId: string;
  readonly key: NoteKey;
  /** What the signer signed last; null before its first note of this origin. */
  readonly signer: Baseline | null;
}

/**
 * Proves that the stored tree extends every known note: of the database, the folder, the signer and the witnesses.
 *
 * @throws Regress if it does not extend one of them, or if a witness has seen another history.
 */
export async function provenTree(
  deps: ProveDeps,
  { tenantId, logId, tree, incarnation, last }: TreeInput,
): Promise<ProvenTree> {
  const origin = checkpointOrigin(deps.deployment, logId, incarnation);
  const active = await deps.signingKeys.activeKey(tenantId, 'CHECKPOINT');
  const key = noteKey(origin, NOTE_SIGNATURE, Buffer.from(active.public_key.x, 'base64url'));
  const own = last?.incarnation === incarnation ? last : null;
  const known = await baselinesOf(deps, { origin, place: { logId, incarnation }, last: own, activeKey: key });
  const view = new TreeView(new StoredTiles(tree, { tenantId, incarnation }, null));
  const size = await tree.size();
  const root = await extended(view, size, known.all);
  await compareWithWitnesses(deps, own, known.signer, view);
  return { origin, size, root, view, keyId: active.key_id, key, signer: known.signer };
}

/**
 * Compares the stored tree with every known note although nothing is to be signed: at the start, when a folder may have
 * been set back. A log without any note is passed over, and gets no key.
 *
 * @throws Regress
 */
export async function examineTree(deps: ProveDeps, input: TreeInput): Promise<void> {
  const { logId, incarnation, last } = input;
  const { files, signingKeys, deployment } = deps;
  const isNoted =
    last?.incarnation === incarnation ||
    (files !== null && (await files.latest({ logId, incarnation })) !== null) ||
    (await signingKeys.lastSigned(checkpointOrigin(deployment, logId, incarnation))) !== null;
  if (isNoted) await provenTree(deps, input);
}

/** Returns the root of the stored tree, after a proof that it begins with each of the known ones. */
async function extended(view: TreeView, size: number, known: readonly Baseline[]): Promise<Buffer> {
  if (known.some((baseline) => size < baseline.size)) throw new Regress('TREE_SMALLER');
  try {
    const root = await view.rootAt(size);
    const proven: Baseline[] = [];
    for (const baseline of known) {
      if (proven.some((one) => one.size === baseline.size && one.root.equals(baseline.root))) continue;
      const proof = await view.consistencyProof(baseline.size, size);
      const claim = { first: baseline.size, firstRoot: baseline.root, second: size, secondRoot: root, proof };
      if (!verifyConsistency(claim)) throw new Regress('TREE_CHANGED');
      proven.push(baseline);
    }
    return root;
  } catch (error) {
    if (error instanceof TreeFault) throw new Regress('TREE_DAMAGED');
    throw error;
  }
}

/**
 * A witness has only seen what the signer signed. Where it has seen more than the signer remembers, both folders were set
 * back. A crash may lose the row of a signature; the signer remembers it, and it contradicts nothing.
 */
async function compareWithWitnesses(
  { witnesses }: ProveDeps,
  last: CheckpointRow | null,
  signer: Baseline | null,
  view: TreeView,
): Promise<void> {
  if (witnesses === null || last === null) return;
  const { origin, tree_size: size, note } = last;
  const contradictions = await witnesses.compare({
    origin,
    size,
    text: parseNote(note).text,
    note,
    likelySize: size,
    proofFrom: (from) => view.consistencyProof(from, size),
  });
  refuseContradicted(contradictions.filter((by) => by.size === null || by.size > (signer?.size ?? 0)));
}
