import type { Reading } from '../../../../shared/auth/reading.js';
import { isoTime } from '../../../../shared/clock/clock.js';
import type { ConsentGate } from '../../../../shared/contracts/consent.js';
import {
  judgedEntries,
  partOf,
  plainView,
  type TimelinePart,
  type TimelineRecord,
} from '../../../../shared/timeline/entry.js';
import type { TimelineWindow } from '../../../../shared/timeline/window.js';
import type { ConsentStore, StoredConsent } from '../ports/consent-store.js';

export interface TimelineConsentsDeps {
  readonly consents: ConsentStore;
  readonly consent: ConsentGate;
}

/** Consents that a member gave, each as `shown` shows it. */
export async function timelineConsents(
  { consents, consent }: TimelineConsentsDeps,
  { tenantId, stated }: Reading,
  memberId: string,
  { kinds: _, ...window }: TimelineWindow,
  shown: (consent: StoredConsent) => object,
): Promise<TimelinePart> {
  const rows = await consents(tenantId).list({ ...window, member_id: memberId });
  const records = rows.map((row): TimelineRecord => {
    const at = isoTime(row.created_at.getTime());
    const { consent_id: id, decision: type, status } = row;
    const entry = { kind: 'CONSENT', id, at, member_id: memberId, type, status, source_system: null } as const;
    return { entry: { ...entry, record: shown(row) }, view: plainView('consent', memberId) };
  });
  return partOf(await judgedEntries(consent, tenantId, stated, records), window.limit);
}
