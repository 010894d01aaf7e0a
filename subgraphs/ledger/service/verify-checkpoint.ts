import { isoTime } from '../../../shared/clock/clock.js';
import type { PublicSigningKey } from '../../../shared/contracts/signing-keys.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { asProblem } from '../../../shared/errors/unexpected.js';
import { NOTE_SIGNATURE, noteKey } from '../../../shared/notes/note-keys.js';
import { openCheckpoint, type TrustedCheckpoint } from '../../../shared/notes/open-checkpoint.js';
import { NoteFault } from '../../../shared/notes/signed-note.js';
import type { Break } from '../domain/verify-chain.js';
import type { CheckpointRow } from './ports/tree-store.js';
import { type VerifiedTenant, type VerifyDeps, wholeBreak } from './verify-part.js';

/** The write-once copy of a note may still be under way. */
const COPY_SETTLING_MS = 10 * 60_000;

/**
 * What does not hold about a checkpoint: its signature, its members, its write-once copy, and its root.
 *
 * @param root of the tree as it is at that size; null where the tree is smaller, undefined where it cannot be told.
 */
export async function checkpointBreaks(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  row: CheckpointRow,
  root: Buffer | null | undefined,
): Promise<readonly Break[]> {
  const breaks: Break[] = [];
  const say = (kind: Break['kind'], detail: string): void => {
    breaks.push(wholeBreak(kind, `Checkpoint ${row.number} (${row.checkpoint_id}): ${detail}`));
  };
  const key = await publicKeyOf(deps, row.key_id);
  const unfit = keyFault(key, tenant.context.tenantId, row);
  if (unfit !== null) say('CHECKPOINT_SIGNATURE', unfit);
  const opened = key && openedBy(key, row);
  if (key && !opened) say('CHECKPOINT_SIGNATURE', 'its note is not signed by the key that it names.');
  if (opened && (opened.size !== row.tree_size || opened.root.toString('hex') !== row.root_hash)) {
    say('CHECKPOINT_MISMATCH', 'size or root differ between the note and its row.');
  }
  if (root === null) say('CHECKPOINT_MISMATCH', `it names ${row.tree_size} leaves, and the tree has fewer.`);
  else if (root !== undefined && opened && !root.equals(opened.root)) {
    say('CHECKPOINT_MISMATCH', `the tree of ${row.tree_size} leaves has another root.`);
  }
  if (sha256Hex(row.note) !== row.worm_sha256) say('CHECKPOINT_MISMATCH', 'the note does not hash to its name.');
  if (await lacksCopy(deps, tenant, row)) say('WORM_MISSING', 'the write-once store has no copy of the note.');
  return breaks;
}

async function publicKeyOf(deps: VerifyDeps, keyId: string): Promise<PublicSigningKey | null> {
  try {
    return await deps.signingKeys.publicKey(keyId);
  } catch (error) {
    if (asProblem(error).code !== 'NOT_FOUND') throw error;
    return null;
  }
}

function keyFault(key: PublicSigningKey | null, tenantId: string, row: CheckpointRow): string | null {
  if (!key) return 'the key that it names is not known.';
  if (key.purpose !== 'CHECKPOINT' || key.tenant_id !== tenantId) return 'its key is of another purpose or tenant.';
  if (key.revocation && key.revocation.effective_at <= isoTime(row.published_at.getTime())) {
    return 'its key was revoked when it was published.';
  }
  return null;
}

function openedBy({ public_key }: PublicSigningKey, { note, origin }: CheckpointRow): TrustedCheckpoint | undefined {
  try {
    const key = noteKey(origin, NOTE_SIGNATURE, Buffer.from(public_key.x, 'base64url'));
    return openCheckpoint(note, { logKeys: [key], origin });
  } catch (error) {
    if (error instanceof NoteFault) return undefined;
    throw error;
  }
}

async function lacksCopy(deps: VerifyDeps, { context }: VerifiedTenant, row: CheckpointRow): Promise<boolean> {
  if (row.published_at.getTime() > deps.clock.nowMs() - COPY_SETTLING_MS) return false;
  return !(await context.worm.presentRecords([row.worm_sha256])).has(row.worm_sha256);
}
