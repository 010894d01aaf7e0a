import { isoTime } from '../../../shared/clock/clock.js';
import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { Problem } from '../../../shared/errors/problem.js';
import { NOTE_SIGNATURE, noteKey } from '../../../shared/notes/note-keys.js';
import { openCheckpoint, type TrustedCheckpoint } from '../../../shared/notes/open-checkpoint.js';
import { NoteFault } from '../../../shared/notes/signed-note.js';
import { checkpointOrigin } from './domain.js';
import type { CheckpointRow, TenantTree } from './ports/tree-store.js';

/** Size and root of a tree, from a checkpoint with a valid signature. */
export interface SignedTree {
  readonly incarnation: number;
  readonly size: number;
  readonly root: Buffer;
}

export interface SignedTreeDeps {
  readonly signingKeys: Pick<SigningKeys, 'publicKey'>;
  readonly tenants: TenantDirectory;
  /** `<deployment>` of every origin. */
  readonly deployment: string;
}

/** The newest tree that this process trusts; `isDamaged` when the database names a newer one that is not signed. */
export interface NewestTree {
  readonly signed: SignedTree | null;
  readonly isDamaged: boolean;
}

/** One row for each tenant that someone reads. */
const MAX_TENANTS = 10_000;

/** The newest signed checkpoint of each tenant. Each signature is verified once. */
export class NewestTrees {
  readonly #deps: SignedTreeDeps;
  readonly #known = new Map<string, SignedTree>();

  constructor(deps: SignedTreeDeps) {
    this.#deps = deps;
  }

  known(tenantId: string): SignedTree | null {
    return this.#known.get(tenantId) ?? null;
  }

  /** Reads the newest checkpoint. A smaller one of the same incarnation never replaces a known one. */
  async refresh(tenantId: string, tree: Pick<TenantTree, 'latestCheckpoint'>): Promise<NewestTree> {
    const row = await tree.latestCheckpoint();
    const known = this.known(tenantId);
    if (row === null || !isNewer(row, known)) return { signed: known, isDamaged: false };
    const signed = await this.#signed(tenantId, row);
    if (signed === 'REVOKED') return { signed: known, isDamaged: false };
    if (signed === null) return { signed: known, isDamaged: true };
    // Another read may have found a newer one meanwhile.
    const latest = this.known(tenantId);
    if (latest !== null && !isNewer({ incarnation: signed.incarnation, tree_size: signed.size }, latest)) {
      return { signed: latest, isDamaged: false };
    }
    if (this.#known.size >= MAX_TENANTS) this.#known.clear();
    this.#known.set(tenantId, signed);
    return { signed, isDamaged: false };
  }

  async #signed(tenantId: string, row: CheckpointRow): Promise<SignedTree | 'REVOKED' | null> {
    const tenant = await this.#deps.tenants.find(tenantId);
    const key = await this.#deps.signingKeys.publicKey(row.key_id).catch(unknownKey);
    if (!tenant || key === null || key.purpose !== 'CHECKPOINT' || key.tenant_id !== tenantId) return null;
    // Its signatures prove nothing any more; a checkpoint of the next key follows.
    if (key.revocation && key.revocation.effective_at <= isoTime(row.published_at.getTime())) return 'REVOKED';
    const origin = checkpointOrigin(this.#deps.deployment, tenant.log_id, row.incarnation);
    const opened = openedNote(row.note, origin, key.public_key.x);
    if (opened === null || opened.size !== row.tree_size) return null;
    return { incarnation: row.incarnation, size: opened.size, root: opened.root };
  }
}

const isNewer = (
  { incarnation, tree_size }: Pick<CheckpointRow, 'incarnation' | 'tree_size'>,
  known: SignedTree | null,
): boolean =>
  known === null || incarnation > known.incarnation || (incarnation === known.incarnation && tree_size > known.size);

function unknownKey(error: unknown): null {
  if (error instanceof Problem && error.code === 'NOT_FOUND') return null;
  throw error;
}

function openedNote(note: unknown, origin: string, x: string): Pick<TrustedCheckpoint, 'size' | 'root'> | null {
  if (typeof note !== 'string') return null;
  try {
    const logKeys = [noteKey(origin, NOTE_SIGNATURE, Buffer.from(x, 'base64url'))];
    return openCheckpoint(note, { logKeys, origin });
  } catch (error) {
    if (error instanceof NoteFault) return null;
    throw error;
  }
}
