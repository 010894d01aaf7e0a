import type { Reading } from '../../../shared/auth/reading.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { viewOfDocument } from '../../../shared/consent/sensitivity.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import {
  comparePlaces,
  judgedEntries,
  partOf,
  placeOf,
  plainView,
  type TimelinePart,
  type TimelineRecord,
} from '../../../shared/timeline/entry.js';
import type { TimelineWindow } from '../../../shared/timeline/window.js';
import type { DocumentStore, StoredDocument } from '../documents/index.js';
import type { HoldStore } from '../holds/index.js';

export interface TimelineRecordsDeps {
  readonly documents: DocumentStore;
  readonly holds: HoldStore;
  readonly consent: ConsentGate;
}

/** Documents appear at their effective time, else at their upload time. */
const DOCUMENT_TIMES = ['effective_at', 'created_at'] as const;

/** Returns a member's documents, each mapped by `shown` for this reader. */
export async function timelineDocuments(
  { documents, consent }: TimelineRecordsDeps,
  { tenantId, stated }: Reading,
  memberId: string,
  window: TimelineWindow,
  shown: (document: StoredDocument) => object,
): Promise<TimelinePart> {
  // One more than the part holds shows that more exist.
  const asked = { ...window, limit: window.limit + 1, where: { member_ids: memberId } };
  const own = documents(tenantId);
  const pages = await Promise.all(DOCUMENT_TIMES.map((time) => own.pageBy(time, asked)));
  const rows = pages.flatMap(({ items }) => items);
  const records = rows.map(
    (document): TimelineRecord => ({
      entry: {
        kind: 'DOCUMENT',
        id: document.document_id,
        at: isoTime((document.effective_at ?? document.created_at).getTime()),
        member_id: memberId,
        type: document.document_type,
        status: document.status,
        source_system: document.source_system,
        record: shown(document),
      },
      view: viewOfDocument(document),
    }),
  );
  const sign = window.order === 'asc' ? 1 : -1;
  records.sort((a, b) => sign * comparePlaces(placeOf(a.entry), placeOf(b.entry)));
  return partOf(await judgedEntries(consent, tenantId, stated, records.slice(0, window.limit + 1)), window.limit);
}

/** Returns the legal holds that name a member: their existence, not their text. */
export async function timelineHolds(
  { holds, consent }: TimelineRecordsDeps,
  { tenantId, stated }: Reading,
  memberId: string,
  window: TimelineWindow,
): Promise<TimelinePart> {
  const asked = { ...window, limit: window.limit + 1, where: {} };
  const { items } = await holds.forTenant(tenantId).pageNaming(memberId, asked);
  const records = items.map(({ hold_id, status, created_at, release, matter_id }): TimelineRecord => {
    const at = isoTime(created_at.getTime());
    const released_at = release === null ? null : isoTime(release.released_at.getTime());
    const record = { hold_id, status, matter_id, created_at: at, released_at };
    const named = { id: hold_id, at, member_id: memberId, type: null, status, source_system: null };
    return { entry: { kind: 'HOLD', ...named, record }, view: plainView('hold', memberId) };
  });
  return partOf(await judgedEntries(consent, tenantId, stated, records), window.limit);
}
