import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
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
import { checkpointOrigin } from '../domain/checkpoint-origin.js';
import { type Baseline, type BaselineDeps, baselineOf, Regress } from './checkpoint-baseline.js';
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
  /** Null where none are configured. */
  readonly witnesses: Witnesses | null;
  readonly outbox: EffectRelay;
  readonly collection: string;
}

/** The tree to be signed as it stands. */
export interface PublishInput {
  readonly tenantId: TenantId;
  readonly logId: string;
  readonly tree: TenantTree;
  readonly worm: TenantWorm;
  readonly incarnation: number;
  /** The last checkpoint, of whatever incarnation. */
  readonly last: CheckpointRow | null;
}

/** What came of it: a witness that has seen more is no proof, but somebody must look. */
export interface Publication {
  /** Null when another has published meanwhile. */
  readonly checkpoint: CheckpointRow | null;
  readonly ahead: readonly { readonly witness: string; readonly size: number }[];
  /** Fewer witnesses have cosigned than the deployment asks for. */
  readonly short: boolean;
}

/**
 * Signs and publishes the tree as it stands (evidence.md section 3 "Checkpoints"). What is signed is computed from what is
 * stored, not from what this process remembers, and is proven to extend the last published note first. The write-once
 * copy comes before the row, and the row is the commit point.
 *
 * @throws Regress when it does not extend it.
 */
export async function publishCheckpoint(deps: PublishDeps, input: PublishInput): Promise<Publication> {
  const { tenantId, logId, tree, incarnation, last } = input;
  const origin = checkpointOrigin(deps.deployment, logId, incarnation);
  const active = await deps.signingKeys.activeKey(tenantId, 'CHECKPOINT');
  const key = noteKey(origin, NOTE_SIGNATURE, Buffer.from(active.public_key.x, 'base64url'));
  const own = last?.incarnation === incarnation ? last : null;
  const place = { logId, incarnation };
  const baseline = await baselineOf(deps, { origin, place, last: own, activeKey: key });
  const view = new TreeView(new StoredTiles(tree, { tenantId, incarnation }, null));
  const size = await tree.size();
  const root = await extended(view, size, baseline);

  const text = formatCheckpoint({ origin, size, root });
  const signature = await signed(deps.signingKeys, active.key_id, key, text);
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
  const publishedMs = deps.clock.nowMs();
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

/** Root of the stored tree, once it is shown to begin with what was published. */
async function extended(view: TreeView, size: number, baseline: Baseline | null): Promise<Buffer> {
  if (baseline && size < baseline.size) throw new Regress('TREE_SMALLER');
  try {
    const root = await view.rootAt(size);
    if (baseline === null) return root;
    const proof = await view.consistencyProof(baseline.size, size);
    const claim = { first: baseline.size, firstRoot: baseline.root, second: size, secondRoot: root, proof };
    if (!verifyConsistency(claim)) throw new Regress('TREE_CHANGED');
    return root;
  } catch (error) {
    if (error instanceof TreeFault) throw new Regress('TREE_DAMAGED');
    throw error;
  }
}

/** A signature that does not verify is not published: the key's record and its public half may have come apart. */
async function signed(keys: SigningKeys, keyId: string, key: NoteKey, text: string): Promise<NoteSignature> {
  const message = Buffer.from(text);
  const signature = await keys.sign(keyId, message);
  if (!keyVerifies(key, message, signature)) throw new Error('the signature of a checkpoint does not fit its key');
  return { name: key.name, keyId: key.id, signature };
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
      'a checkpoint is published with fewer cosignatures than asked for',
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
