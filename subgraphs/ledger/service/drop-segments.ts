import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { SystemEntry } from '../../../shared/contracts/system-ledger.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import type { RecordDocument } from '../../../shared/worm/record-document.js';
import type { SegmentRow } from '../../../shared/worm/segment-directory.js';
import type { TenantWorm, WormRecord } from '../../../shared/worm/worm-store.js';
import type { WormUpkeep } from '../../../shared/worm/worm-upkeep.js';
import type { TenantDisposals } from './ports/disposal-store.js';
import { SEAL_FAMILY } from './seal-segments.js';

export const DROP_TYPE = 'segment.dropped';
const BATCH_RECORDS = 500;

export interface DroppingTenant {
  readonly clock: Clock;
  readonly disposals: Pick<TenantDisposals, 'disposed'>;
  readonly upkeep: WormUpkeep;
  readonly worm: Pick<TenantWorm, 'putRecords' | 'presentBlobs'>;
  readonly append: (entries: readonly SystemEntry[]) => Promise<unknown>;
}

/** What becomes of a segment's records: KEEP one of them, and the whole segment stays (all or nothing). */
type Fate = 'KEEP' | 'CARRY' | 'DROP';

/**
 * Drops the sealed segments of which nothing is left to keep: every event in them is disposed of. What is no caller's event
 * is carried over into the open segment first, then the entry that accounts for it is written, then the segment goes. Begun
 * again after a crash it ends the same way. @returns the names of those that went.
 */
export async function dropSegments(tenant: DroppingTenant, sealedBeforeMs: number): Promise<readonly string[]> {
  const dropped: string[] = [];
  for (const segment of await tenant.upkeep.segments()) {
    // Begun before: the entry stands, what was to be carried is.
    if (segment.state === 'DROPPED' && segment.dropped_at === undefined) await tenant.upkeep.dropSegment(segment._id);
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

const isOld = ({ seal }: SegmentRow, beforeMs: number): boolean =>
  seal !== undefined && Date.parse(seal.sealed_at) < beforeMs;

interface Counts {
  readonly dropped: number;
  readonly carried: number;
}

/** Null as soon as one record must stay. */
async function walk(tenant: DroppingTenant, segment: string, mode: 'COUNT' | 'CARRY'): Promise<Counts | null> {
  let [dropped, carried] = [0, 0];
  for (let after: string | null = null; ; ) {
    const records = await tenant.upkeep.records(segment, after, BATCH_RECORDS);
    const last = records.at(-1);
    if (!last) return { dropped, carried };
    after = last._id;
    const fates = await fatesOf(tenant, records);
    if (fates.includes('KEEP')) return null;
    const kept: WormRecord[] = records.flatMap(({ _id, bytes }, i) =>
      fates[i] === 'CARRY' ? [{ sha256: _id, bytes }] : [],
    );
    if (mode === 'CARRY' && kept.length > 0) await tenant.worm.putRecords(kept, { fresh: true });
    carried += kept.length;
    dropped += records.length - kept.length;
  }
}

async function fatesOf(tenant: DroppingTenant, records: readonly RecordDocument[]): Promise<readonly Fate[]> {
  const members = records.map(({ bytes }) => membersOf(bytes));
  const eventIds = members.flatMap((known) => eventIdOf(known) ?? []);
  const disposed = eventIds.length === 0 ? new Set<string>() : await tenant.disposals.disposed(eventIds);
  const fates: Fate[] = [];
  for (const [i, record] of records.entries()) fates.push(await fateOf(tenant, record, members[i], disposed));
  return fates;
}

async function fateOf(
  { worm }: DroppingTenant,
  { _id, bytes }: RecordDocument,
  members: JsonObject | undefined,
  disposed: ReadonlySet<string>,
): Promise<Fate> {
  // Damage is evidence too: a segment that holds some is not dropped.
  if (sha256Hex(bytes) !== _id) return 'KEEP';
  const eventId = eventIdOf(members);
  if (eventId !== undefined) {
    if (disposed.has(eventId)) return 'DROP';
    return isReservedSourceSystem(String(members?.['source_system'])) ? 'CARRY' : 'KEEP';
  }
  const blob = members?.['kind'] === 'blob' ? members['sha256'] : undefined;
  if (typeof blob !== 'string') return 'CARRY';
  return (await worm.presentBlobs([blob])).has(blob) ? 'CARRY' : 'DROP';
}

const eventIdOf = (members: JsonObject | undefined): string | undefined => {
  const id = members?.['event_id'];
  return typeof id === 'string' ? id : undefined;
};

function membersOf(bytes: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    // A checkpoint's note: no JSON, and carried over.
    return undefined;
  }
}

/** @param counts how many records went with it, and how many were carried over. */
const dropEntry = (clock: Clock, { _id, seal }: SegmentRow, { dropped, carried }: Counts): SystemEntry => ({
  source_system: '_system',
  source_record_id: `${_id}/dropped`,
  event_family: SEAL_FAMILY,
  event_type: DROP_TYPE,
  event_effective_timestamp: isoTime(clock.nowMs()),
  payload: { segment: _id, merkle_root: seal?.merkle_root ?? '', records_dropped: dropped, records_carried: carried },
});
