import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { isProblem } from '../../../shared/errors/problem.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { formatCheckpoint } from '../../../shared/notes/checkpoint.js';
import { keyVerifies, type NoteKey } from '../../../shared/notes/note-keys.js';
import { formatNote, type NoteSignature } from '../../../shared/notes/signed-note.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { TenantWorm } from '../../../shared/worm/worm-store.js';
import { Regress, refuseContradicted } from './checkpoint-baseline.js';
import type { CosignRequest } from './ports/checkpoint-sinks.js';
import type { CheckpointRow } from './ports/tree-store.js';
import { type ProveDeps, provenTree, type TreeInput } from './prove-tree.js';

export interface PublishDeps extends ProveDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly outbox: EffectRelay;
  readonly collection: string;
}

/** The tree to sign. */
interface PublishInput extends TreeInput {
  readonly worm: TenantWorm;
}

/** Result of publishing. */
interface Publication {
  /** Null if another process published meanwhile. */
  readonly checkpoint: CheckpointRow | null;
  /** Fewer witnesses cosigned than the deployment requires. */
  readonly short: boolean;
}

/**
 * Signs and publishes the tree (evidence.md section 3 "Checkpoints"). Computes the signed root from the stored tree,
 * not from memory, and first proves that it extends every note that is known. The write-once copy comes before the row,
 * and the row is the commit point.
 *
 * @throws Regress if it does not extend one of them, if a witness has seen another history, or if the signer refuses it.
 */
export async function publishCheckpoint(deps: PublishDeps, input: PublishInput): Promise<Publication> {
  const { tenantId, logId, tree, incarnation, last } = input;
  const { origin, size, root, view, keyId, key, signer } = await provenTree(deps, input);
  const place = { logId, incarnation };
  const text = formatCheckpoint({ origin, size, root });
  const from = signer?.size ?? 0;
  const proof = from === 0 ? [] : await view.consistencyProof(from, size);
  const signature = await signed(deps.signingKeys, keyId, key, { text, from, proof });
  const likelySize = last?.incarnation === incarnation ? last.tree_size : 0;
  const { cosignatures, short } = await cosigned(deps, {
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
    key_id: keyId,
    note,
    witnesses: cosignatures.map(({ name }) => name),
    worm_sha256: sha256Hex(note),
    published_at: new Date(publishedMs),
  };
  await input.worm.putRecords([{ sha256: row.worm_sha256, bytes: Buffer.from(note) }]);
  const pending = [publishedEvent(deps.ids, tenantId, row)];
  if (!(await tree.publish(row, pending))) return { checkpoint: null, short };
  await deps.files?.write(place, note);
  await deps.outbox.relay(deps.collection, row.checkpoint_id, pending);
  return { checkpoint: row, short };
}

/**
 * Returns the time of the next checkpoint, in ms. Lists and verification follow the time, so it ascends with the number
 * although the clocks of two processes differ.
 */
const timeAfter = (last: CheckpointRow | null, nowMs: number): number =>
  last ? Math.max(nowMs, last.published_at.getTime() + 1) : nowMs;

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
): Promise<Pick<Publication, 'short'> & { readonly cosignatures: readonly NoteSignature[] }> {
  if (witnesses === null) return { cosignatures: [], short: false };
  const { signatures, contradictions, short } = await witnesses.cosign(request);
  refuseContradicted(contradictions);
  if (short) {
    logger.warn(
      { origin: request.origin, size: request.size, cosigned: signatures.length },
      'published a checkpoint with fewer cosignatures than required',
    );
  }
  return { cosignatures: signatures, short };
}

const publishedEvent = (ids: Ids, tenant_id: TenantId, row: CheckpointRow) =>
  platformEventEffect(ids, {
    tenant_id,
    type: 'checkpoint.published',
    at: isoTime(row.published_at.getTime()),
    data: { checkpoint_id: row.checkpoint_id, tree_size: row.tree_size, root_hash: row.root_hash },
  });
