import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { CustodyActor } from '../../../shared/contracts/custody.js';
import type { SystemEntry } from '../../../shared/contracts/system-ledger.js';
import { isReservedSourceSystem, type SystemPartition } from '../../../shared/ids/tenant.js';
import type { WormUpkeep } from '../../../shared/worm/worm-upkeep.js';
import { isAltered } from '../append/domain/index.js';
import { placeKey, type SignedLeaves } from '../transparency/index.js';
import { chainsOf, type DamagedPlace, damageOf } from './find-damage.js';
import { type StrayRecords, strayRecords } from './find-materials.js';
import {
  ChainPlanner,
  type LeftPlace,
  type LeftReason,
  type PlanningTenant,
  type Restoration,
} from './plan-restoration.js';
import type { TenantRepairs } from './ports.js';

interface RepairDeps {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly leaves: Pick<SignedLeaves, 'signedHashes'>;
}

/** All stores of one tenant that a repair reads and writes. */
export interface RepairedTenant extends PlanningTenant {
  readonly upkeep: PlanningTenant['upkeep'] & Pick<WormUpkeep, 'restoreRecord'>;
  readonly repairs: TenantRepairs;
  /** Appends to the tenant's reserved partitions; the identical entry again changes nothing. */
  append(entries: readonly SystemEntry[]): Promise<unknown>;
  /** Returns those of these events that a fact calls disposed. */
  disposed(eventIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The word of an operator. */
export interface RepairOrder {
  readonly reason: string;
  readonly actor: CustodyActor;
  /** False to list only. */
  readonly isApplied: boolean;
}

/** One damaged place, and what became of it. */
export interface RepairLine {
  readonly source_system: string;
  readonly seq: number;
  readonly event_id: string | null;
  readonly outcome: 'RESTORED' | 'RESTORABLE' | 'LEFT';
  readonly from: Restoration['from'] | null;
  readonly missing: readonly string[];
  readonly why: LeftReason | null;
}

/** Each pass may make the next possible: disposals are known only once `_system` is whole. */
const MAX_PASSES = 5;
const BATCH_RESTORATIONS = 100;
const SYSTEM = '_system';

/**
 * Restores damaged rows and write-once copies of one tenant as far as proven entry hashes allow (docs/evidence.md
 * section 4). Appends an entry for each restored record first. A repetition after a crash appends the same entries.
 *
 * @returns one line a damaged row or copy, in the order of their places.
 */
export async function repairLedger(
  deps: RepairDeps,
  tenant: RepairedTenant,
  order: RepairOrder,
): Promise<readonly RepairLine[]> {
  const lines = new Map<string, RepairLine>();
  const now = new Date(deps.clock.nowMs());
  const at = order.isApplied ? await tenant.repairs.begin(now, order.reason) : now;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const { restorations, left } = await planPass(deps, tenant);
    // What an earlier pass left may be possible now, or be no damage any more.
    for (const [key, { outcome }] of lines) if (outcome === 'LEFT') lines.delete(key);
    for (const place of left) lines.set(lineKey(place.place), leftLine(place));
    const restored = order.isApplied ? await apply(tenant, order, at, restorations) : [];
    for (const restoration of restorations) {
      const failed = restored.find(({ place }) => place === restoration.place);
      const outcome = order.isApplied ? 'RESTORED' : 'RESTORABLE';
      const line = failed ? leftLine(failed) : restoredLine(restoration, outcome);
      lines.set(lineKey(restoration.place), line);
    }
    if (!order.isApplied || restorations.length === restored.length) break;
  }
  if (order.isApplied) await tenant.repairs.end();
  return [...lines.values()].sort(inOrder);
}

const inOrder = (a: RepairLine, b: RepairLine): number =>
  a.source_system === b.source_system ? a.seq - b.seq : a.source_system < b.source_system ? -1 : 1;

const lineKey = ({ source_system, seq, isCopyOnly }: DamagedPlace): string =>
  `${placeKey({ source_system, seq })} ${isCopyOnly}`;

const placeOf = ({ source_system, seq }: DamagedPlace) => ({ source_system, seq });

const leftLine = ({ place, why }: LeftPlace): RepairLine => ({
  ...placeOf(place),
  event_id: typeof place.row?.event_id === 'string' ? place.row.event_id : null,
  outcome: 'LEFT',
  from: null,
  missing: place.isCopyOnly ? ['worm'] : place.row === null ? ['row'] : [],
  why,
});

const restoredLine = ({ place, row, from, missing }: Restoration, outcome: RepairLine['outcome']): RepairLine => ({
  ...placeOf(place),
  event_id: row.event_id,
  outcome,
  from,
  missing,
  why: null,
});

interface Pass {
  readonly restorations: readonly Restoration[];
  readonly left: readonly LeftPlace[];
}

async function planPass(deps: RepairDeps, tenant: RepairedTenant): Promise<Pass> {
  const { names, isTreeWhole } = await chainsOf(tenant);
  const damage = new Map<string, readonly DamagedPlace[]>();
  for (const name of names) damage.set(name, await damageOf(tenant, deps.clock, name));
  const rows = [...damage.values()].flat().filter(({ isCopyOnly }) => !isCopyOnly);
  let strays: Promise<StrayRecords> | undefined;
  const planning = { ...deps, strays: () => (strays ??= strayRecords(tenant, rows)) };
  const restorations: Restoration[] = [];
  const left: LeftPlace[] = [];
  for (const places of damage.values()) {
    const planner = new ChainPlanner(planning, tenant);
    for (const place of places) {
      const plan = place.isCopyOnly ? copyOf(place) : await planner.plan(place);
      if ('why' in plan) left.push(plan);
      else restorations.push(plan);
    }
  }
  return guarded(tenant, { restorations, left }, { isTreeWhole, cut: cutChains(rows) });
}

/** The row itself is sound, so that its record is the one that its entry hash covers. */
function copyOf(place: DamagedPlace): Restoration | LeftPlace {
  const { row } = place;
  if (row?.record === undefined || isAltered(row)) return { place, why: 'NO_RECORD' };
  return { place, row, from: 'LEDGER', missing: ['worm'] };
}

const cutChains = (rows: readonly DamagedPlace[]): ReadonlySet<string> =>
  new Set(rows.filter(({ isEnd }) => isEnd).map(({ source_system }) => source_system));

interface Surroundings {
  readonly isTreeWhole: boolean;
  /** Chains without their end: an append would take the place of a lost entry. */
  readonly cut: ReadonlySet<string>;
}

/**
 * Leaves out what must not be restored. The content of an event comes back only if nothing that may say that it was
 * disposed of is missing: `_system` is whole, the tree is whole, and each lost end of a chain is known. A leaf at a lost
 * end may carry a false name; a leaf in the middle of a chain has the entry after it as a witness.
 */
async function guarded(tenant: RepairedTenant, { restorations, left }: Pass, { isTreeWhole, cut }: Surroundings) {
  const all = [...restorations, ...left].map(({ place }) => place);
  const hasSystemDamage = all.some(({ source_system, isCopyOnly }) => source_system === SYSTEM && !isCopyOnly);
  const isEndLost = left.some(({ place }) => place.isEnd);
  const events = restorations.filter(isEvent).map(({ row }) => row.event_id);
  // Damaged facts cannot be read.
  const disposed = hasSystemDamage ? new Set<string>() : await tenant.disposed(events);
  const reasonOf = (restoration: Restoration): LeftReason | null => {
    if (cut.has(entryChainOf(restoration.place))) return 'ENTRY_CHAIN_CUT';
    if (!isEvent(restoration)) return null;
    if (hasSystemDamage) return 'SYSTEM_FIRST';
    if (disposed.has(restoration.row.event_id)) return 'DISPOSED';
    if (!isTreeWhole) return 'TREE_DAMAGED';
    return isEndLost ? 'END_LOST' : null;
  };
  const reasons = new Map(restorations.map((restoration) => [restoration, reasonOf(restoration)]));
  const refused = [...reasons].flatMap(([{ place }, why]) => (why === null ? [] : [{ place, why }]));
  return {
    restorations: restorations.filter((restoration) => reasons.get(restoration) === null),
    left: [...left, ...refused],
  };
}

/** Entries of reserved partitions are never disposed of; a copy is of a row that is readable anyway. */
const isEvent = ({ place }: Restoration): boolean => !place.isCopyOnly && !isReservedSourceSystem(place.source_system);

/** An entry about `_system` goes to `_platform`: the damaged chain need not take it. */
const entryChainOf = ({ source_system }: DamagedPlace): SystemPartition =>
  source_system === SYSTEM ? '_platform' : SYSTEM;

/** Restores in batches: first the entries, then rows and copies. @returns the places that another write has changed */
async function apply(
  tenant: RepairedTenant,
  order: RepairOrder,
  at: Date,
  restorations: readonly Restoration[],
): Promise<readonly LeftPlace[]> {
  const failed: LeftPlace[] = [];
  for (let from = 0; from < restorations.length; from += BATCH_RESTORATIONS) {
    const batch = restorations.slice(from, from + BATCH_RESTORATIONS);
    await tenant.append(batch.map((restoration) => restorationEntry(restoration, order, at)));
    for (const restoration of batch) {
      if (!(await restore(tenant, restoration))) failed.push({ place: restoration.place, why: 'PLACE_TAKEN' });
    }
  }
  return failed;
}

async function restore({ repairs, upkeep }: RepairedTenant, { place, row }: Restoration): Promise<boolean> {
  const { record, seed, worm_sha256 } = row;
  if (!place.isCopyOnly) return place.row === null ? repairs.insert(row) : repairs.replace(place.row, row);
  if (record === undefined || seed === undefined || worm_sha256 === undefined) return false;
  await upkeep.restoreRecord({ sha256: worm_sha256, bytes: record, seed });
  return true;
}

/** The same restoration of the same repair gives the same entry. */
const restorationEntry = (
  { place, row, from, missing }: Restoration,
  { reason, actor }: RepairOrder,
  at: Date,
): SystemEntry => ({
  source_system: entryChainOf(place),
  // A row and its copy are two restorations of one event.
  source_record_id: place.isCopyOnly ? `${row.event_id}/worm` : row.event_id,
  event_family: 'integrity',
  event_type: 'record.restored',
  event_effective_timestamp: isoTime(at.getTime()),
  payload: {
    event_id: row.event_id,
    source_system: place.source_system,
    sequence: place.seq,
    from,
    missing: [...missing],
    reason,
    actor: { ...actor },
  },
});
