import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import type { SystemEntry } from '../../../shared/contracts/system-ledger.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { SegmentRow, SegmentSeal } from '../../../shared/worm/segment-directory.js';
import type { WormUpkeep } from '../../../shared/worm/worm-upkeep.js';
import { type SegmentContent, SegmentSum, sealManifest } from '../domain/seal-manifest.js';
import type { OpenExceptions } from './open-exception.js';
import { damagedRecord } from './scrub-findings.js';

/**
 * A full segment is sealed when it is certainly at rest: room in it is given up after ROOM_LIFE_MS (10 minutes), and an
 * insert begun before that has ended or failed within another twenty.
 */
export const SEAL_AFTER_MS = 30 * 60_000;
const BATCH_RECORDS = 500;

export const SEAL_FAMILY = 'worm';
export const SEAL_TYPE = 'segment.sealed';

export interface SealDeps {
  readonly clock: Clock;
  readonly signingKeys: SigningKeys;
  readonly openExceptions: OpenExceptions;
  /** Appends to the tenant's own `_system` partition. */
  readonly append: (entries: readonly SystemEntry[]) => Promise<unknown>;
}

/**
 * Seals a tenant's full segments, oldest first, each with the root of the one before it (evidence.md section 4). Begun
 * again after a crash it writes the same entries: what is signed is frozen in the segment's row before. @returns how many
 * were sealed.
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
  const signature = await deps.signingKeys.sign(key_id, sealManifest(row._id, content));
  return upkeep.freezeSeal(row._id, { ...content, signing_key_id: key_id, signature: signature.toString('base64url') });
}

/** What is damaged is told and sealed as it is named: the seal says what is there, not that all of it is good. */
async function sumOf(deps: SealDeps, tenantId: TenantId, upkeep: WormUpkeep, segment: string): Promise<SegmentSum> {
  const sum = new SegmentSum();
  for (let after: string | null = null; ; ) {
    const records = await upkeep.records(segment, after, BATCH_RECORDS);
    const damaged = records.filter(({ _id, bytes }) => sha256Hex(bytes) !== _id);
    await deps.openExceptions(
      tenantId,
      damaged.map(({ _id }) => damagedRecord(segment, _id)),
    );
    for (const { _id, bytes } of records) sum.add(_id, bytes.length);
    const last = records.at(-1);
    if (!last) return sum;
    after = last._id;
  }
}

/** The same for the same seal, whenever it is made. */
export const sealEntry = (segment: string, seal: SegmentSeal): SystemEntry => ({
  source_system: '_system',
  source_record_id: segment,
  event_family: SEAL_FAMILY,
  event_type: SEAL_TYPE,
  event_effective_timestamp: seal.sealed_at,
  payload: { segment, ...seal },
});
