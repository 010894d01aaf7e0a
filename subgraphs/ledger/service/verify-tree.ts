import { CompactRange } from '../../../shared/merkle/compact-range.js';
import { leafHash } from '../../../shared/merkle/hashes.js';
import { encodeCursor } from '../../../shared/pagination/cursor.js';
import type { TreeRow } from './ports/tree-store.js';
import { checkpointBreaks } from './verify-checkpoint.js';
import { type PartFindings, type VerifiedTenant, type VerifyDeps, wholeBreak } from './verify-part.js';
import type { TreePlace, VerifyInput, VerifyState } from './verify-state.js';

const BATCH_LEAVES = 5_000;
const BATCH_CHECKPOINTS = 200;

/**
 * Goes on along the tree: computes it again from its leaves and compares the root at each checkpoint's size, verifies the
 * checkpoints' signatures, and looks for leaves whose entry is gone. @returns null at the end.
 */
export async function verifyTreePart(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  { input }: Pick<VerifyState, 'input'>,
  place: TreePlace,
  findings: PartFindings,
): Promise<TreePlace | null> {
  const walk = new TreeWalk(tenant, place, findings, input);
  const incarnation = (await tenant.tree.latestIncarnation())?.incarnation ?? 1;
  let { checkpoint, earlier } = place;
  for (;;) {
    const cursor = checkpoint && encodeCursor({ atMs: checkpoint.at_ms, id: checkpoint.id });
    const rows = await tenant.tree.checkpoints({ limit: BATCH_CHECKPOINTS, order: 'asc', ...(cursor && { cursor }) });
    if (rows.length === 0) break;
    for (const row of rows) {
      if (walk.seen >= deps.partRows) return { ...walk.place(), checkpoint, earlier };
      const expected = (checkpoint?.number ?? 0) + 1;
      if (row.number !== expected) {
        findings.report([wholeBreak('CHECKPOINT_GAP', `Checkpoint ${expected} is missing before ${row.number}.`)]);
      }
      // The tree of an earlier incarnation was given up, and is not the one that is kept now.
      const computable = row.incarnation === incarnation && row.tree_size >= walk.size;
      if (!computable) earlier++;
      const root = computable ? await walk.rootAt(row.tree_size) : undefined;
      findings.report(await checkpointBreaks(deps, tenant, row, root));
      checkpoint = { at_ms: row.published_at.getTime(), id: row.checkpoint_id, number: row.number };
    }
  }
  while (await walk.more(BATCH_LEAVES)) {
    if (walk.seen >= deps.partRows) return { ...walk.place(), checkpoint, earlier };
  }
  walk.finish();
  if (earlier > 0) {
    const what = `the roots of ${earlier} checkpoints`;
    findings.notChecked.push({ what, why: 'They are of a tree before the present incarnation, or out of order.' });
  }
  return null;
}

class TreeWalk {
  readonly #tenant: VerifiedTenant;
  readonly #findings: PartFindings;
  readonly #range: CompactRange;
  readonly #known: Pick<VerifyInput, 'known_size' | 'known_root'>;
  /** Last sequence of each chain, as far as leaves asked for it. */
  readonly #heads = new Map<string, number>();
  #rows: readonly TreeRow[] = [];
  #at = 0;
  #ahead: Promise<readonly TreeRow[]> | null = null;
  seen = 0;

  constructor(
    tenant: VerifiedTenant,
    { size, hashes }: TreePlace,
    findings: PartFindings,
    known: Pick<VerifyInput, 'known_size' | 'known_root'>,
  ) {
    this.#tenant = tenant;
    this.#known = known;
    this.#findings = findings;
    this.#range = new CompactRange(
      size,
      hashes.map((hash) => Buffer.from(hash, 'hex')),
    );
  }

  get size(): number {
    return this.#range.size;
  }

  place(): Pick<TreePlace, 'phase' | 'size' | 'hashes'> {
    const hashes = this.#range.hashes.map((hash) => hash.toString('hex'));
    return { phase: 'TREE', size: this.size, hashes };
  }

  /** Null when the tree has fewer leaves than that. */
  async rootAt(size: number): Promise<Buffer | null> {
    while (this.size < size) if (!(await this.more(Math.min(BATCH_LEAVES, size - this.size)))) return null;
    return this.#range.root();
  }

  async more(limit: number): Promise<boolean> {
    if (this.#at === this.#rows.length) await this.#read();
    const end = Math.min(this.#rows.length, this.#at + limit);
    const isMore = end > this.#at;
    while (this.#at < end) {
      const row = this.#rows[this.#at++] as TreeRow;
      if (row.tree_index !== this.size) {
        const detail = `Leaf ${this.size} is missing; the next one found is ${row.tree_index}.`;
        this.#findings.report([wholeBreak('TREE_MISSING', detail)]);
        this.#forget();
        return false;
      }
      this.#range.append(leafHash(Buffer.from(row.entry_hash, 'hex')));
      const last = this.#heads.get(row.source_system);
      if (last === undefined || row.seq === last + 1) await this.#compareHead(row);
      if (this.size === this.#known.known_size) this.#compareKnown();
      this.seen++;
    }
    return isMore;
  }

  /** The leaves from here on, and those after them while these are hashed. */
  async #read(): Promise<void> {
    const { tree } = this.#tenant;
    const ahead = await this.#ahead;
    // Read ahead of a checkpoint that was published since, it may have ended too early.
    this.#rows = ahead && ahead.length > 0 ? ahead : await tree.rows(this.size, BATCH_LEAVES);
    this.#at = 0;
    this.#ahead = this.#rows.length > 0 ? tree.rows(this.size + this.#rows.length, BATCH_LEAVES) : null;
    this.#ahead?.catch(() => {});
  }

  /** What was read does not follow: the next look begins where the tree stopped. */
  #forget(): void {
    this.#rows = [];
    this.#at = 0;
    this.#ahead = null;
  }

  /** The tree is read: a checkpoint that names more is not of it. */
  finish(): void {
    const { known_size: size = 0 } = this.#known;
    if (size <= this.size) return;
    const detail = `The checkpoint given names ${size} leaves, and the tree has ${this.size}.`;
    this.#findings.report([wholeBreak('CHECKPOINT_MISMATCH', detail)]);
  }

  #compareKnown(): void {
    if (this.#range.root().toString('hex') === this.#known.known_root) return;
    const detail = `The tree of ${this.size} leaves has another root than the checkpoint given.`;
    this.#findings.report([wholeBreak('CHECKPOINT_MISMATCH', detail)]);
  }

  /** Told once a chain: leaves go up along it, so the first one beyond its end comes first. */
  async #compareHead({ source_system, seq }: TreeRow): Promise<void> {
    let last = this.#heads.get(source_system);
    if (last === undefined) {
      last = (await this.#tenant.context.ledger.head(source_system))?._id.seq ?? 0;
      this.#heads.set(source_system, last);
    }
    if (seq !== last + 1) return;
    // Appended and given its leaf since the head was read.
    const now = (await this.#tenant.context.ledger.head(source_system))?._id.seq ?? 0;
    this.#heads.set(source_system, now);
    if (seq <= now) return;
    const detail = `The tree has a leaf for entry ${seq}, and the chain ends at ${now}: its end is cut off.`;
    this.#findings.report([{ kind: 'SEQUENCE_GAP', source_system, sequence: seq, event_id: null, detail }]);
  }
}
