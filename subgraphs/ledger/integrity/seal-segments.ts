import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import type { SystemEntry } from '../../../shared/contracts/system-ledger.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { SegmentRow, SegmentSeal } from '../../../shared/worm/segments/directory.js';
import type { WormUpkeep } from '../../../shared/worm/worm-upkeep.js';
import type { OpenExceptions } from '../exceptions/index.js';
import { type SegmentContent, SegmentSum, sealManifest } from './domain/seal-manifest.js';
import { copyFault } from './domain/write-once-copy.js';
import { damagedRecord } from './scrub-findings.js';

/**
 * A full segment is sealed when no write to it can be running: its room is released after ROOM_LIFE_MS (10 minutes),
 * and an insert started before that ends within another twenty.
 */
const SEAL_AFTER_MS = 30 * 60_000;
const BATCH_RECORDS = 500;

export const SEAL_FAMILY = 'worm';
export const SEAL_TYPE = 'segment.sealed';
export const DROP_TYPE = 'segment.dropped';

export interface SealDeps {
  readonly clock: Clock;
  readonly signingKeys: SigningKeys;
  readonly openExceptions: OpenExceptions;
  /** Appends to the tenant's `_system` partition. */
  readonly append: (entries: readonly SystemEntry[]) => Promise<unknown>;
}

/**
 * Seals a tenant's full segments, oldest first, each with the root of the previous one (evidence.md section 4). A
 * restart after a crash writes the same entries, because the signed content is stored in the segment's row first.
 *
 * @returns the number of sealed segments.
 */
export async function sealSegments(
  deps: SealDeps,
  tenantId: TenantId,
  upkeep: WormUpkeep,
  signal?: AbortSignal,
): Promise<number> {
  await upkeep.closeEarlierQuarters();
  let sealed = 0;
  let prevRoot: string | null = null;
  for (const row of await upkeep.segments()) {
    if (row.state !== 'SEALED' && row.state !== 'DROPPED') {
      if (!isAtRest(row, deps.clock.nowMs()) || signal?.aborted === true) return sealed;
      const seal: SegmentSeal = row.seal ?? (await freeze(deps, tenantId, upkeep, row, prevRoot));
      await deps.append([sealEntry(row._id, seal)]);
      await upkeep.markSealed(row._id);
      prevRoot = seal.merkle_root;
      sealed++;
    } else {
      prevRoot = row.seal?.merkle_root ?? null;
    }
  }
  return sealed;
}

const isAtRest = ({ state, full_at }: SegmentRow, nowMs: number): boolean =>
  state === 'FULL' && full_at !== undefined && full_at.getTime() <= nowMs - SEAL_AFTER_MS;

async function freeze(
  deps: SealDeps,
  tenantId: TenantId,
  upkeep: WormUpkeep,
  row: SegmentRow,
  prevRoot: string | null,
): Promise<SegmentSeal> {
  const sum = await sumOf(deps, tenantId, upkeep, row._id);
  const content: SegmentContent = {
    ...sum.content(),
    prev_segment_root: prevRoot,
    sealed_at: isoTime(deps.clock.nowMs()),
  };
  const { key_id } = await deps.signingKeys.activeKey(tenantId, 'SEGMENT');
  const signature = await deps.signingKeys.sign(key_id, sealManifest(row._id, content), { purpose: 'SEGMENT' });
  return upkeep.freezeSeal(row._id, { ...content, signing_key_id: key_id, signature: signature.toString('base64url') });
}

/** Reports damage and seals it under its name: the seal states the present content, not that all of it is intact. */
async function sumOf(deps: SealDeps, tenantId: TenantId, upkeep: WormUpkeep, segment: string): Promise<SegmentSum> {
  const sum = new SegmentSum();
  const committer = new Committer();
  for (let after: string | null = null; ; ) {
    const records = await upkeep.records(segment, after, BATCH_RECORDS);
    const drafts = records.flatMap((record) => {
      // The scrub compares the seeds: the entries of the newest records may be on their way.
      const fault = copyFault(record, { worm_sha256: record._id, commit: undefined }, committer);
      return fault === null ? [] : [damagedRecord(segment, record._id, fault)];
    });
    await deps.openExceptions(tenantId, drafts);
    for (const { _id, bytes } of records) sum.add(_id, bytes.length);
    const last = records.at(-1);
    if (!last) return sum;
    after = last._id;
  }
}

/** Returns the same entry for the same seal at any time. */
const sealEntry = (segment: string, seal: SegmentSeal): SystemEntry => ({
  source_system: '_system',
  source_record_id: segment,
  event_family: SEAL_FAMILY,
  event_type: SEAL_TYPE,
  event_effective_timestamp: seal.sealed_at,
  payload: { segment, ...seal },
});
