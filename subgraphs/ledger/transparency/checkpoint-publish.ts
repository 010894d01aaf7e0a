import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { isProblem } from '../../../shared/errors/problem.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { TreeView } from '../../../shared/merkle/tree-view.js';
import { verifyConsistency } from '../../../shared/merkle/verify-proofs.js';
import { formatCheckpoint } from '../../../shared/notes/checkpoint.js';
import { keyVerifies, NOTE_SIGNATURE, type NoteKey, noteKey } from '../../../shared/notes/note-keys.js';
import { formatNote, type NoteSignature } from '../../../shared/notes/signed-note.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { TenantWorm } from '../../../shared/worm/worm-store.js';
import { type Baseline, type BaselineDeps, baselinesOf, Regress } from './checkpoint-baseline.js';
import { checkpointOrigin } from './domain.js';
import type { CosignRequest, Witnesses } from './ports/checkpoint-sinks.js';
import type { CheckpointRow, TenantTree } from './ports/tree-store.js';
import { StoredTiles, TreeFault } from './tree-tiles.js';

export interface PublishDeps extends BaselineDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** `<deployment>` of every origin. */
  readonly deployment: string;
  readonly signingKeys: SigningKeys;
  /** Null if none are configured. */
  readonly witnesses: Witnesses | null;
  readonly outbox: EffectRelay;
  readonly collection: string;
}

/** The tree to sign. */
interface PublishInput {
  readonly tenantId: TenantId;
  readonly logId: string;
  readonly tree: TenantTree;
  readonly worm: TenantWorm;
  readonly incarnation: number;
  /** The last checkpoint of any incarnation. */
  readonly last: CheckpointRow | null;
}

/** Result of publishing. A witness that has seen a larger tree is no proof, but an operator must look. */
interface Publication {
  /** Null if another process published meanwhile. */
  readonly checkpoint: CheckpointRow | null;
  readonly ahead: readonly { readonly witness: string; readonly size: number }[];
  /** Fewer witnesses cosigned than the deployment requires. */
  readonly short: boolean;
}

/**
 * Signs and publishes the tree (evidence.md section 3 "Checkpoints"). Computes the signed root from the stored tree,
 * not from memory, and first proves that it extends every note that is known. The write-once copy comes before the row,
 * and the row is the commit point.
 *
 * @throws Regress if it does not extend one of them, or if the signer refuses it.
 */
export async function publishCheckpoint(deps: PublishDeps, input: PublishInput): Promise<Publication> {
  const { tenantId, logId, tree, incarnation, last } = input;
  const origin = checkpointOrigin(deps.deployment, logId, incarnation);
  const active = await deps.signingKeys.activeKey(tenantId, 'CHECKPOINT');
  const key = noteKey(origin, NOTE_SIGNATURE, Buffer.from(active.public_key.x, 'base64url'));
  const own = last?.incarnation === incarnation ? last : null;
  const place = { logId, incarnation };
  const known = await baselinesOf(deps, { origin, place, last: own, activeKey: key });
  const view = new TreeView(new StoredTiles(tree, { tenantId, incarnation }, null));
  const size = await tree.size();
  const root = await extended(view, size, known.all);

  const text = formatCheckpoint({ origin, size, root });
  const from = known.signer?.size ?? 0;
  const proof = from === 0 ? [] : await view.consistencyProof(from, size);
  const signature = await signed(deps.signingKeys, active.key_id, key, { text, from, proof });
  const likelySize = own?.tree_size ?? 0;
  const { cosignatures, ahead, short } = await cosigned(deps, {
    origin,
    size,
    text,
    note: formatNote({ text, signatures: [signature] }),
    likelySize,
    proofFrom: (from) => view.consistencyProof(from, size),
  });
  const note = formatNote({ text, signatures: [signature, ...cosignatures] });
  const publishedMs = timeAfter(last, deps.clock.nowMs());
  const row: CheckpointRow = {
    checkpoint_id: deps.ids.next('checkpoint'),
    number: (last?.number ?? 0) + 1,
    incarnation,
    origin,
    tree_size: size,
    root_hash: root.toString('hex'),
    key_id: active.key_id,
    note,
    witnesses: cosignatures.map(({ name }) => name),
    worm_sha256: sha256Hex(note),
    published_at: new Date(publishedMs),
  };
  await input.worm.putRecords([{ sha256: row.worm_sha256, bytes: Buffer.from(note) }]);
  const pending = [publishedEvent(deps.ids, tenantId, row)];
  if (!(await tree.publish(row, pending))) return { checkpoint: null, ahead, short };
  await deps.files?.write(place, note);
  await deps.outbox.relay(deps.collection, row.checkpoint_id, pending);
  return { checkpoint: row, ahead, short };
}

/**
 * Returns the time of the next checkpoint, in ms. Lists and verification follow the time, so it ascends with the number
 * although the clocks of two processes differ.
 */
const timeAfter = (last: CheckpointRow | null, nowMs: number): number =>
  last ? Math.max(nowMs, last.published_at.getTime() + 1) : nowMs;

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

/** Does not publish a signature that fails: the key's record and its public half may differ. */
async function signed(
  keys: SigningKeys,
  keyId: string,
  key: NoteKey,
  { text, from, proof }: { readonly text: string; readonly from: number; readonly proof: readonly Uint8Array[] },
): Promise<NoteSignature> {
  const message = Buffer.from(text);
  const hashes = proof.map((hash) => Buffer.from(hash).toString('base64'));
  const signature = await keys.sign(keyId, message, { purpose: 'CHECKPOINT', from, proof: hashes }).catch(refused);
  if (!keyVerifies(key, message, signature)) throw new Error('the signature of a checkpoint does not match its key');
  return { name: key.name, keyId: key.id, signature };
}

function refused(error: unknown): never {
  throw isProblem(error, 'CONFLICT') ? new Regress('SIGNER_REFUSED') : error;
}

async function cosigned(
  { witnesses, logger }: PublishDeps,
  request: CosignRequest,
): Promise<Pick<Publication, 'ahead' | 'short'> & { readonly cosignatures: readonly NoteSignature[] }> {
  if (witnesses === null) return { cosignatures: [], ahead: [], short: false };
  const { signatures, ahead, short } = await witnesses.cosign(request);
  if (short) {
    logger.warn(
      { origin: request.origin, size: request.size, cosigned: signatures.length },
      'published a checkpoint with fewer cosignatures than required',
    );
  }
  return { cosignatures: signatures, ahead, short };
}

const publishedEvent = (ids: Ids, tenant_id: TenantId, row: CheckpointRow) =>
  platformEventEffect(ids, {
    tenant_id,
    type: 'checkpoint.published',
    at: isoTime(row.published_at.getTime()),
    data: { checkpoint_id: row.checkpoint_id, tree_size: row.tree_size, root_hash: row.root_hash },
  });
