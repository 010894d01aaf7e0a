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
import type { DocumentStore, StoredDocument } from './ports/document-store.js';
import type { HoldStore } from './ports/hold-store.js';

export interface TimelineRecordsDeps {
  readonly documents: DocumentStore;
  readonly holds: HoldStore;
  readonly consent: ConsentGate;
}

/** A document on the timeline stands at the time that it speaks of, else at the one that it came. */
const DOCUMENT_TIMES = ['effective_at', 'created_at'] as const;

/** A member's documents, each as `shown` shows it to this reader. */
export async function timelineDocuments(
  { documents, consent }: TimelineRecordsDeps,
  { tenantId, stated }: Reading,
  memberId: string,
  window: TimelineWindow,
  shown: (document: StoredDocument) => object,
): Promise<TimelinePart> {
  const asked = { ...window, member_ids: [memberId] };
  const own = documents(tenantId);
  const rows = await Promise.all(DOCUMENT_TIMES.map((time) => own.listBy(time, asked)));
  const records = rows.flat().map(
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

/** Legal holds that name a member: that there are some, not what they say. */
export async function timelineHolds(
  { holds, consent }: TimelineRecordsDeps,
  { tenantId, stated }: Reading,
  memberId: string,
  window: TimelineWindow,
): Promise<TimelinePart> {
  const rows = await holds.forTenant(tenantId).list({ ...window, member_id: memberId });
  const records = rows.map(({ hold_id, status, created_at, release, matter_id }): TimelineRecord => {
    const at = isoTime(created_at.getTime());
    const released_at = release === null ? null : isoTime(release.released_at.getTime());
    const record = { hold_id, status, matter_id, created_at: at, released_at };
    const named = { id: hold_id, at, member_id: memberId, type: null, status, source_system: null };
    return { entry: { kind: 'HOLD', ...named, record }, view: plainView('hold', memberId) };
  });
  return partOf(await judgedEntries(consent, tenantId, stated, records), window.limit);
}
