import { isoTime } from '../../../shared/clock/clock.js';
import type { PublishedCheckpoint } from '../../../shared/contracts/checkpoints.js';
import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import { fault, isProblem, problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type NoteKey, verifierText } from '../../../shared/notes/note-keys.js';
import { openCheckpoint } from '../../../shared/notes/open-checkpoint.js';
import { NoteFault } from '../../../shared/notes/signed-note.js';
import { DEFAULT_PAGE_LIMIT, type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { keyOf } from './checkpoint-baseline.js';
import type { CheckpointRow, RejectCheckpoint, TenantTree } from './ports/tree-store.js';

interface CheckpointListInput {
  readonly limit?: number;
  readonly cursor?: string;
  readonly order?: 'asc' | 'desc';
  readonly from?: string;
  readonly to?: string;
}

/** Notes have few keys, and their public halves never change. */
const MAX_KEYS = 10_000;

/** Public views of checkpoints, with the keys that verify them. */
export class CheckpointViews {
  readonly #signingKeys: SigningKeys;
  readonly #reject: RejectCheckpoint;
  readonly #keys = new Map<string, NoteKey>();

  constructor(signingKeys: SigningKeys, reject: RejectCheckpoint) {
    this.#signingKeys = signingKeys;
    this.#reject = reject;
  }

  /** @throws INTEGRITY_FAILURE for a row that its signed note does not prove */
  async of(tenantId: TenantId, row: CheckpointRow): Promise<PublishedCheckpoint> {
    const { number: _, worm_sha256: __, published_at, ...shown } = row;
    const key = await this.#keyOf(tenantId, row);
    if (!isNoted(row, key)) return this.#reject(tenantId, row.checkpoint_id, 'the row of the checkpoint with its note');
    return { ...shown, published_at: isoTime(published_at.getTime()), verifier_key: verifierText(key) };
  }

  async ofMaybe(tenantId: TenantId, row: CheckpointRow | null): Promise<PublishedCheckpoint | null> {
    return row && this.of(tenantId, row);
  }

  /**
   * Lists by (time, id), newest first by default.
   *
   * @throws VALIDATION_ERROR, INTEGRITY_FAILURE
   */
  async list(tenantId: TenantId, tree: TenantTree, input: CheckpointListInput): Promise<Page<PublishedCheckpoint>> {
    const { limit = DEFAULT_PAGE_LIMIT, order = 'desc', cursor } = input;
    const fromMs = timeOf('from', input.from);
    const toMs = timeOf('to', input.to);
    const rows = await tree.checkpoints({ limit, order, cursor, fromMs, toMs });
    const page = pageOf(rows, limit, (row) => ({ atMs: row.published_at.getTime(), id: row.checkpoint_id }));
    return { items: await Promise.all(page.items.map((row) => this.of(tenantId, row))), next_cursor: page.next_cursor };
  }

  async #keyOf(tenantId: TenantId, row: CheckpointRow): Promise<NoteKey> {
    const name = `${row.key_id} ${row.origin}`;
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const key = await keyOf(this.#signingKeys, row, row.origin).catch((error: unknown) => {
      if (isProblem(error, 'NOT_FOUND')) return null;
      throw error;
    });
    if (key === null) return this.#reject(tenantId, row.checkpoint_id, 'the key of the checkpoint with the known keys');
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
    this.#keys.set(name, key);
    return key;
  }
}

/** Whether the note, signed by the key, states what the row says. */
function isNoted({ note, origin, incarnation, tree_size, root_hash }: CheckpointRow, key: NoteKey): boolean {
  if (!origin.endsWith(`/inc-${incarnation}`)) return false;
  try {
    const { size, root } = openCheckpoint(note, { logKeys: [key], origin });
    return size === tree_size && root.toString('hex') === root_hash;
  } catch (error) {
    if (error instanceof NoteFault) return false;
    throw error;
  }
}

function timeOf(name: 'from' | 'to', text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const instant = instantOf(text);
  if (instant !== undefined) return instant;
  const errors = [fault(`/${name}`, 'format', 'Must be RFC 3339 with a time zone, for example 2026-03-02T14:11:09Z.')];
  throw problem('VALIDATION_ERROR', { errors });
}
