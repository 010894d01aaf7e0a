import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { nextTurn } from '../../../shared/clock/timers.js';
import { asProblem } from '../../../shared/errors/unexpected.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import type { RecordDocument } from '../../../shared/worm/records/document.js';
import type { SegmentRow } from '../../../shared/worm/segments/directory.js';
import type { TenantWorm } from '../../../shared/worm/worm-store.js';
import type { BlobName, WormUpkeep } from '../../../shared/worm/worm-upkeep.js';
import type { ExceptionDraft, OpenExceptions } from '../exceptions/index.js';
import { differencesFromSeal, SegmentSum } from './domain/seal-manifest.js';
import { copyFault } from './domain/write-once-copy.js';
import type { ScrubCounts, ScrubPlace, ScrubRow, TenantIntegrity } from './ports.js';
import { type Explaining, explainRecords } from './scrub-explain.js';
import { brokenSeal, damagedBlob, damagedRecord } from './scrub-findings.js';

/**
 * A cycle is paced to end within three days, and the next starts three days after its start. No record stays unread for
 * more than six days; the rule is seven (evidence.md section 4).
 */
const SCRUB_CYCLE_MS = 3 * 24 * 3_600_000;
/** Lowest number of bytes per run, at any pace. */
const LEAST_RUN_BYTES = 32 * 1_048_576;
const BATCH_RECORDS = 500;
const BATCH_BLOBS = 50;
/** Bytes read between two saves of the progress; a crash repeats at most this much. */
const SAVED_EVERY_BYTES = 16 * 1_048_576;
/** Framing and empty segments cost something too: a cycle over nothing must end. */
const LEAST_BYTES = 128;
/** Both writes of an append have ended by then. */
const SETTLING_MS = 10 * 60_000;

interface ScrubDeps {
  readonly clock: Clock;
  readonly openExceptions: OpenExceptions;
}

/** One tenant's stores, as a run of the scrub receives them. */
export interface ScrubTenant extends Explaining {
  readonly tenantId: string;
  readonly upkeep: WormUpkeep;
  readonly worm: Pick<TenantWorm, 'lendBlob' | 'presentBlobs'>;
  readonly integrity: TenantIntegrity;
}

const NOTHING: ScrubCounts = { records: 0, blobs: 0, bytes: 0, damaged: 0, unexplained: 0 };
const BEGINNING: ScrubPlace = { phase: 'SEGMENTS', segment: null, after: null, sum: null };

/**
 * Continues the walk over a tenant's write-once store: re-hashes every record and blob, compares sealed segments with
 * their seals, and counts unexplained records. Stops when this run's share is read or the signal aborts. Opens
 * exceptions for findings before it saves its progress.
 *
 * @param everyMs interval of the runs in ms, for the pace.
 */
export async function scrubWorm(
  deps: ScrubDeps,
  tenant: ScrubTenant,
  everyMs: number,
  signal?: AbortSignal,
): Promise<void> {
  let row = await startedRow(deps, tenant);
  if (!row) return;
  const share = shareOf(row, deps.clock.nowMs(), everyMs);
  let unsaved = 0;
  for (let read = 0; row.place !== null && read < share && signal?.aborted !== true; ) {
    const before = row.counts.bytes;
    row = await step(deps, tenant, row, row.place);
    const taken = Math.max(LEAST_BYTES, row.counts.bytes - before);
    read += taken;
    unsaved += taken;
    if (unsaved < SAVED_EVERY_BYTES && row.place !== null) continue;
    const kept = await keep(tenant, row);
    if (!kept) return;
    row = kept;
    unsaved = 0;
    await nextTurn();
  }
  if (unsaved > 0) await keep(tenant, row);
}

/** Null if another process continued from the same state: it finds the same. */
async function keep(tenant: ScrubTenant, row: ScrubRow): Promise<ScrubRow | null> {
  return (await tenant.integrity.saveScrub(row)) ? { ...row, version: row.version + 1 } : null;
}

/** Returns the current cycle, a new one if it is due, or null. */
async function startedRow(deps: ScrubDeps, tenant: ScrubTenant): Promise<ScrubRow | null> {
  const now = new Date(deps.clock.nowMs());
  const known = await tenant.integrity.scrub();
  if (known && (known.place !== null || known.cycle_started_at.getTime() > now.getTime() - SCRUB_CYCLE_MS)) {
    return known.place === null ? null : known;
  }
  const segments = await currentSegments(tenant);
  const segmentBytes = segments.reduce((sum, { reserved_bytes }) => sum + reserved_bytes, 0);
  return {
    version: known?.version ?? 0,
    cycle: (known?.cycle ?? 0) + 1,
    cycle_started_at: now,
    planned_bytes: segmentBytes + (await tenant.upkeep.blobBytes()),
    place: BEGINNING,
    counts: NOTHING,
    finished: known?.finished ?? null,
    first_started_at: known?.first_started_at ?? now,
  };
}

/** Returns the bytes that this run must read for the cycle to end in time. */
export function shareOf(row: ScrubRow, nowMs: number, everyMs: number): number {
  const left = row.cycle_started_at.getTime() + SCRUB_CYCLE_MS - nowMs;
  const runs = Math.max(1, Math.floor(left / everyMs));
  return Math.max(LEAST_RUN_BYTES, Math.ceil((row.planned_bytes - row.counts.bytes) / runs));
}

function step(deps: ScrubDeps, tenant: ScrubTenant, row: ScrubRow, place: ScrubPlace): Promise<ScrubRow> {
  return place.phase === 'SEGMENTS' ? segmentStep(deps, tenant, row, place) : blobStep(deps, tenant, row, place);
}

async function segmentStep(deps: ScrubDeps, tenant: ScrubTenant, row: ScrubRow, place: ScrubPlace): Promise<ScrubRow> {
  const segments = await currentSegments(tenant);
  const segment = segments.find(({ _id }) => place.segment === null || _id >= place.segment);
  if (!segment) return { ...row, place: { phase: 'BLOBS', segment: null, after: null, sum: null } };
  const after = segment._id === place.segment ? place.after : null;
  const sum = new SegmentSum(after === null ? undefined : (place.sum ?? undefined));
  const records = await tenant.upkeep.records(segment._id, after, BATCH_RECORDS);
  for (const { _id, bytes } of records) sum.add(_id, bytes.length);
  const last = records.at(-1);
  if (!last) return afterSegment(deps, tenant, row, segment, sum);
  const found = await checkRecords(deps, tenant, segment._id, records);
  const counts = {
    ...row.counts,
    records: row.counts.records + records.length,
    bytes: row.counts.bytes + records.reduce((all, { bytes }) => all + bytes.length, 0),
    damaged: row.counts.damaged + found.damaged,
    unexplained: row.counts.unexplained + found.unexplained,
  };
  return { ...row, counts, place: { phase: 'SEGMENTS', segment: segment._id, after: last._id, sum: sum.state() } };
}

/** A dropped segment has nothing to read. */
const currentSegments = async ({ upkeep }: ScrubTenant): Promise<readonly SegmentRow[]> =>
  (await upkeep.segments()).filter(({ state }) => state !== 'DROPPED');

async function checkRecords(
  deps: ScrubDeps,
  tenant: ScrubTenant,
  segment: string,
  records: readonly RecordDocument[],
): Promise<{ readonly damaged: number; readonly unexplained: number }> {
  const settledBefore = isoTime(deps.clock.nowMs() - SETTLING_MS);
  const explanations = await explainRecords(tenant, records, settledBefore);
  const committer = new Committer();
  const drafts: ExceptionDraft[] = [];
  let unexplained = 0;
  for (const [i, record] of records.entries()) {
    const { commit, isExplained = false } = explanations[i] ?? {};
    const fault = copyFault(record, { worm_sha256: record._id, commit }, committer);
    if (fault !== null) drafts.push(damagedRecord(segment, record._id, fault));
    else if (!isExplained) unexplained++;
  }
  await deps.openExceptions(tenant.tenantId, drafts);
  return { damaged: drafts.length, unexplained };
}

/** Ends a segment: a sealed one must match its seal. */
async function afterSegment(
  deps: ScrubDeps,
  tenant: ScrubTenant,
  row: ScrubRow,
  segment: SegmentRow,
  sum: SegmentSum,
): Promise<ScrubRow> {
  let differs = segment.state === 'SEALED' && segment.seal ? differencesFromSeal(segment.seal, sum.content()) : [];
  // It was dropped during the read: that is not damage.
  if (differs.length > 0 && !(await currentSegments(tenant)).some(({ _id }) => _id === segment._id)) differs = [];
  if (differs.length > 0) await deps.openExceptions(tenant.tenantId, [brokenSeal(segment._id, differs)]);
  return {
    ...row,
    counts: { ...row.counts, damaged: row.counts.damaged + (differs.length > 0 ? 1 : 0) },
    place: { phase: 'SEGMENTS', segment: `${segment._id}\u0000`, after: null, sum: null },
  };
}

async function blobStep(deps: ScrubDeps, tenant: ScrubTenant, row: ScrubRow, place: ScrubPlace): Promise<ScrubRow> {
  const blobs = await tenant.upkeep.blobs(place.after, BATCH_BLOBS);
  const last = blobs.at(-1);
  if (!last) return ended(row, deps.clock.nowMs());
  let damaged = 0;
  for (const blob of blobs) {
    const why = await faultOf(tenant, blob);
    if (why === null) continue;
    damaged++;
    await deps.openExceptions(tenant.tenantId, [damagedBlob(blob.sha256, why)]);
  }
  const counts = {
    ...row.counts,
    blobs: row.counts.blobs + blobs.length,
    bytes: row.counts.bytes + blobs.reduce((all, { sizeBytes }) => all + sizeBytes, 0),
    damaged: row.counts.damaged + damaged,
  };
  return { ...row, counts, place: { ...place, after: last.sha256 } };
}

/**
 * Returns why a blob cannot be read back, or null. Throws faults of the database, because they say nothing about the
 * bytes.
 */
async function faultOf(tenant: ScrubTenant, { sha256 }: BlobName): Promise<string | null> {
  try {
    for await (const _ of tenant.worm.lendBlob(sha256)) await nextTurn();
    return null;
  } catch (error) {
    const found = asProblem(error);
    if (found.code !== 'INTEGRITY_FAILURE') throw error;
    return found.details.internal ?? 'the content with its hashes';
  }
}

const ended = (row: ScrubRow, nowMs: number): ScrubRow => ({
  ...row,
  place: null,
  finished: { ...row.counts, started_at: row.cycle_started_at, finished_at: new Date(nowMs) },
});
