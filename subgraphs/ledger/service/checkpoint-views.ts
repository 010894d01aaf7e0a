import { isoTime } from '../../../shared/clock/clock.js';
import type { PublishedCheckpoint } from '../../../shared/contracts/checkpoints.js';
import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { verifierText } from '../../../shared/notes/note-keys.js';
import { DEFAULT_PAGE_LIMIT, type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { keyOf } from './checkpoint-baseline.js';
import type { CheckpointRow, TenantTree } from './ports/tree-store.js';

export interface CheckpointListInput {
  readonly limit?: number;
  readonly cursor?: string;
  readonly order?: 'asc' | 'desc';
  readonly from?: string;
  readonly to?: string;
}

/** Keys of notes are few and never change their public half. */
const MAX_VERIFIERS = 10_000;

/** Checkpoints as anyone may see them, with the key that each is judged by. */
export class CheckpointViews {
  readonly #signingKeys: SigningKeys;
  readonly #verifiers = new Map<string, string>();

  constructor(signingKeys: SigningKeys) {
    this.#signingKeys = signingKeys;
  }

  async of(row: CheckpointRow): Promise<PublishedCheckpoint> {
    const { number: _, worm_sha256: __, published_at, ...shown } = row;
    return { ...shown, published_at: isoTime(published_at.getTime()), verifier_key: await this.#verifierOf(row) };
  }

  async ofMaybe(row: CheckpointRow | null): Promise<PublishedCheckpoint | null> {
    return row && this.of(row);
  }

  /** By (time, id), newest first unless told. @throws VALIDATION_ERROR */
  async list(tree: TenantTree, input: CheckpointListInput): Promise<Page<PublishedCheckpoint>> {
    const { limit = DEFAULT_PAGE_LIMIT, order = 'desc', cursor } = input;
    const fromMs = timeOf('from', input.from);
    const toMs = timeOf('to', input.to);
    const rows = await tree.checkpoints({ limit, order, cursor, fromMs, toMs });
    const page = pageOf(rows, limit, (row) => ({ atMs: row.published_at.getTime(), id: row.checkpoint_id }));
    return { items: await Promise.all(page.items.map((row) => this.of(row))), next_cursor: page.next_cursor };
  }

  async #verifierOf(row: CheckpointRow): Promise<string> {
    const name = `${row.key_id} ${row.origin}`;
    const known = this.#verifiers.get(name);
    if (known !== undefined) return known;
    const text = verifierText(await keyOf(this.#signingKeys, row, row.origin));
    if (this.#verifiers.size >= MAX_VERIFIERS) this.#verifiers.clear();
    this.#verifiers.set(name, text);
    return text;
  }
}

function timeOf(name: 'from' | 'to', text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const instant = instantOf(text);
  if (instant !== undefined) return instant;
  const errors = [fault(`/${name}`, 'format', 'Must be an RFC 3339 time with a zone.')];
  throw problem('VALIDATION_ERROR', { errors });
}
