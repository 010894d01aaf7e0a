import type { Clock } from '../../../shared/clock/clock.js';
import { nextTurn } from '../../../shared/clock/timers.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import { type LedgerRow, malformedField } from '../append/domain/index.js';
import type { TenantContext } from '../append/index.js';
import {
  type Break,
  ChainVerifier,
  type CopyStores,
  explainHoles,
  isBare,
  leavesOf,
  rowBatches,
  type TenantIntegrity,
} from '../integrity/index.js';
import type { TenantTree } from '../transparency/index.js';

/** A place of a chain: its entry or write-once copy is missing, or differs from the proven one elsewhere. */
export interface DamagedPlace {
  readonly source_system: string;
  readonly seq: number;
  /** Null where the row is missing. Its values may have any type. */
  readonly row: LedgerRow | null;
  /** No row of the chain follows, so that only the leaf says that there was an entry. */
  readonly isEnd: boolean;
  /** Only the write-once copy is missing or damaged: the row is sound. */
  readonly isCopyOnly: boolean;
}

/** The stores of one tenant that are searched for damage. */
export interface SearchedTenant {
  readonly context: TenantContext;
  readonly tree: TenantTree;
  readonly integrity: Pick<TenantIntegrity, 'disposalIds'>;
  readonly upkeep: CopyStores['upkeep'];
}

/** Damage listed in one pass; a next run continues. */
const MAX_PLACES = 10_000;
const TREE_PAGE = 5_000;

/** Faults of other rows than the one that they are reported at, and those of a place that has no row. */
const OF_NEIGHBOURS: ReadonlySet<Break['kind']> = new Set([
  'SEQUENCE_GAP',
  'LINK_MISMATCH',
  'GENESIS_MISMATCH',
  'TIME_REVERSED',
]);
const OF_COPIES: ReadonlySet<Break['kind']> = new Set(['WORM_MISSING', 'WORM_MISMATCH']);

/** The chains that the ledger or the tree names, and whether the tree has all leaves of its newest checkpoint. */
interface KnownChains {
  readonly names: readonly string[];
  readonly isTreeWhole: boolean;
}

export async function chainsOf({ context, tree }: SearchedTenant): Promise<KnownChains> {
  const names = new Set(await context.ledger.sourceSystems());
  const size = (await tree.latestCheckpoint())?.tree_size ?? 0;
  let next = 0;
  let isTreeWhole = true;
  for (;;) {
    const rows = await tree.rows(next, TREE_PAGE);
    for (const { malformed, tree_index, source_system } of rows) {
      isTreeWhole &&= malformed === undefined && tree_index === next;
      if (malformed === undefined) names.add(source_system);
      next = malformed === undefined ? tree_index + 1 : next + 1;
    }
    if (rows.length < TREE_PAGE) break;
  }
  return { names: [...names].sort(), isTreeWhole: isTreeWhole && next >= size };
}

/** Walks one chain by the rules of verification and lists its damaged places, in order. */
export async function damageOf(
  tenant: SearchedTenant,
  clock: Pick<Clock, 'nowMs'>,
  sourceSystem: string,
): Promise<readonly DamagedPlace[]> {
  const { context, tree } = tenant;
  const last = Math.max((await context.ledger.head(sourceSystem))?._id.seq ?? 0, await tree.assignedUpTo(sourceSystem));
  const verifier = new ChainVerifier({
    tenantId: context.tenantId,
    sourceSystem,
    expectedPrev: context.genesis(sourceSystem),
    fromSequence: 1,
    committer: new Committer(),
    duplicateKeys: context.duplicateKeys,
    memberTags: context.memberTags,
  });
  const places: DamagedPlace[] = [];
  let expected = 1;
  const missing = (until: number, isEnd = false): void => {
    for (; expected < until && places.length < MAX_PLACES; expected++) {
      places.push({ source_system: sourceSystem, seq: expected, row: null, isEnd, isCopyOnly: false });
    }
  };
  for await (const { rows, copies } of rowBatches(tenant, { sourceSystem, from: 1, to: last }, () => clock.nowMs())) {
    const sound = rows.filter((row) => Number.isSafeInteger(row._id.seq));
    const explained = await explainedOf(tenant, sourceSystem, sound);
    const leaves = await leavesOf(
      tree,
      sourceSystem,
      sound.map(({ _id }) => _id.seq),
    );
    for (const row of sound) {
      const { seq } = row._id;
      missing(seq);
      expected = seq + 1;
      verifier.check(row, copies.get(row.worm_sha256 ?? ''), explained.has(seq));
      const faults = verifier.takeBreaks().filter(({ kind }) => !OF_NEIGHBOURS.has(kind));
      const leaf = leaves.get(seq);
      const isMoved = leaf !== undefined && leaf !== row.entry_hash;
      if (faults.length === 0 && !isMoved) continue;
      const isCopyOnly = !isMoved && faults.every(({ kind }) => OF_COPIES.has(kind));
      places.push({ source_system: sourceSystem, seq, row, isEnd: false, isCopyOnly });
    }
    if (places.length >= MAX_PLACES) return places;
    await nextTurn();
  }
  missing(last + 1, true);
  return places;
}

/** Sequences of rows without content that a disposal accounts for. */
async function explainedOf(
  { context, integrity }: SearchedTenant,
  sourceSystem: string,
  rows: readonly LedgerRow[],
): Promise<ReadonlySet<number>> {
  const bare = rows.filter((row) => malformedField(row) === null && isBare(row));
  const holes = bare.map(({ event_id, _id }) => ({ event_id, seq: _id.seq }));
  return explainHoles({ integrity, ledger: context.ledger }, sourceSystem, holes);
}
