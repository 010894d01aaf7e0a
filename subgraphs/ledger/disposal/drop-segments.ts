import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { SystemEntry } from '../../../shared/contracts/system-ledger.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { SEED_BYTES } from '../../../shared/evidence/commitments.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import { objectIn } from '../../../shared/json/object-in.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { RecordDocument } from '../../../shared/worm/records/document.js';
import type { SegmentRow } from '../../../shared/worm/segments/directory.js';
import type { TenantWorm, WormRecord } from '../../../shared/worm/worm-store.js';
import type { WormUpkeep } from '../../../shared/worm/worm-upkeep.js';
import { DROP_TYPE, SEAL_FAMILY } from '../integrity/index.js';
import type { TenantDisposalFacts, TenantDisposals } from './ports.js';

const BATCH_RECORDS = 500;

export interface DroppingTenant {
  readonly clock: Clock;
  readonly disposals: Pick<TenantDisposals, 'stripped'>;
  readonly facts: Pick<TenantDisposalFacts, 'disposalsOf'>;
  readonly upkeep: WormUpkeep;
  readonly worm: Pick<TenantWorm, 'putRecords' | 'presentBlobs'>;
  readonly append: (entries: readonly SystemEntry[]) => Promise<unknown>;
  /** Opens an exception for a segment whose row says that it is dropped although a record of it must stay. */
  readonly reject: (segment: string) => Promise<void>;
}

/** What happens to a record of a segment: one KEEP keeps the whole segment (all or nothing). */
type Fate = 'KEEP' | 'CARRY' | 'DROP';

/**
 * Drops sealed segments without anything left to keep: all caller events in them are disposed of. First copies all
 * other records to the open segment, then appends the entry that accounts for the drop, then drops the segment. A
 * restart after a crash ends the same way.
 *
 * @returns the names of the dropped segments.
 */
export async function dropSegments(tenant: DroppingTenant, sealedBeforeMs: number): Promise<readonly string[]> {
  const dropped: string[] = [];
  for (const segment of await tenant.upkeep.segments()) {
    if (segment.state === 'DROPPED' && segment.dropped_at === undefined) await finishDrop(tenant, segment);
    if (segment.state !== 'SEALED' || !isOld(segment, sealedBeforeMs)) continue;
    const counts = await walk(tenant, segment._id, 'COUNT');
    if (counts === null || counts.dropped === 0) continue;
    await walk(tenant, segment._id, 'CARRY');
    await tenant.append([dropEntry(tenant.clock, segment, counts)]);
    await tenant.upkeep.dropSegment(segment._id);
    dropped.push(segment._id);
  }
  return dropped;
}

/** Completes a drop that a crash interrupted. The row alone drops nothing: the records are judged again. */
async function finishDrop(tenant: DroppingTenant, { _id, seal }: SegmentRow): Promise<void> {
  if (seal === undefined || (await walk(tenant, _id, 'COUNT')) === null) return tenant.reject(_id);
  await walk(tenant, _id, 'CARRY');
  await tenant.upkeep.dropSegment(_id);
}

const isOld = ({ seal }: SegmentRow, beforeMs: number): boolean =>
  seal !== undefined && Date.parse(seal.sealed_at) < beforeMs;

interface Counts {
  readonly dropped: number;
  readonly carried: number;
}

/** Returns null as soon as one record must stay. */
async function walk(tenant: DroppingTenant, segment: string, mode: 'COUNT' | 'CARRY'): Promise<Counts | null> {
  let [dropped, carried] = [0, 0];
  for (let after: string | null = null; ; ) {
    const records = await tenant.upkeep.records(segment, after, BATCH_RECORDS);
    const last = records.at(-1);
    if (!last) return { dropped, carried };
    after = last._id;
    const fates = await fatesOf(tenant, records);
    if (fates.includes('KEEP')) return null;
    const kept: WormRecord[] = records.flatMap(({ _id: sha256, ...rest }, i) =>
      fates[i] === 'CARRY' ? [{ sha256, ...rest }] : [],
    );
    if (mode === 'CARRY' && kept.length > 0) await tenant.worm.putRecords(kept, { fresh: true });
    carried += kept.length;
    dropped += records.length - kept.length;
  }
}

async function fatesOf(tenant: DroppingTenant, records: readonly RecordDocument[]): Promise<readonly Fate[]> {
  const members = records.map(({ bytes }) => objectIn(bytes.toString('utf8')));
  const eventIds = members.flatMap((known) => eventIdOf(known) ?? []);
  const disposed = eventIds.length === 0 ? new Set<string>() : await disposedOf(tenant, eventIds);
  const fates: Fate[] = [];
  for (const [i, record] of records.entries()) fates.push(await fateOf(tenant, record, members[i], disposed));
  return fates;
}

/** Without a fact, an event that has lost its record keeps its copy: it may be the last. */
async function disposedOf({ disposals, facts }: DroppingTenant, eventIds: readonly string[]): Promise<Set<string>> {
  const stripped = await disposals.stripped(eventIds);
  return new Set((await facts.disposalsOf([...stripped])).keys());
}

async function fateOf(
  { worm }: DroppingTenant,
  { _id, bytes, seed }: RecordDocument,
  members: JsonObject | undefined,
  disposed: ReadonlySet<string>,
): Promise<Fate> {
  // Damage is evidence too: a segment that holds damage is not dropped.
  if (sha256Hex(bytes) !== _id) return 'KEEP';
  const eventId = eventIdOf(members);
  if (eventId !== undefined) {
    if (disposed.has(eventId)) return 'DROP';
    const isCarried = isReservedSourceSystem(String(members?.['source_system'])) && seed?.length === SEED_BYTES;
    return isCarried ? 'CARRY' : 'KEEP';
  }
  const blob = members?.['kind'] === 'blob' ? members['sha256'] : undefined;
  // A checkpoint's note is not JSON; it is copied.
  if (typeof blob !== 'string') return 'CARRY';
  return (await worm.presentBlobs([blob])).has(blob) ? 'CARRY' : 'DROP';
}

const eventIdOf = (members: JsonObject | undefined): string | undefined => {
  const id = members?.['event_id'];
  return typeof id === 'string' ? id : undefined;
};

/** @param counts numbers of dropped and of copied records. */
const dropEntry = (clock: Clock, { _id, seal }: SegmentRow, { dropped, carried }: Counts): SystemEntry => ({
  source_system: '_system',
  source_record_id: `${_id}/dropped`,
  event_family: SEAL_FAMILY,
  event_type: DROP_TYPE,
  event_effective_timestamp: isoTime(clock.nowMs()),
  payload: { segment: _id, merkle_root: seal?.merkle_root ?? '', records_dropped: dropped, records_carried: carried },
});
