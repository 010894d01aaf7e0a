import type { Reading } from '../../../shared/auth/reading.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import {
  judgedEntries,
  partOf,
  plainView,
  type TimelinePart,
  type TimelineRecord,
} from '../../../shared/timeline/entry.js';
import type { TimelineWindow } from '../../../shared/timeline/window.js';
import type { BundleStore } from './ports/bundle-store.js';

export interface TimelineBundlesDeps {
  readonly bundles: BundleStore;
  readonly consent: ConsentGate;
}

/** Bundles over a member: that there are some and what seals them, not what they hold. */
export async function timelineBundles(
  { bundles, consent }: TimelineBundlesDeps,
  { tenantId, stated }: Reading,
  memberId: string,
  { kinds: _, ...window }: TimelineWindow,
): Promise<TimelinePart> {
  const rows = await bundles(tenantId).list({ ...window, member_id: memberId });
  const records = rows.map(({ bundle_id, bundle_type, status, created_at, seal }): TimelineRecord => {
    const at = isoTime(created_at.getTime());
    const sealed = seal === null ? {} : { worm_blob_sha256: seal.worm_blob_sha256, sealed_at: seal.sealed_at };
    const named = { id: bundle_id, at, member_id: memberId, type: bundle_type, status, source_system: null };
    const record = { bundle_id, bundle_type, status, created_at: at, ...sealed };
    return { entry: { kind: 'BUNDLE', ...named, record }, view: plainView('bundle', memberId) };
  });
  return partOf(await judgedEntries(consent, tenantId, stated, records), window.limit);
}
