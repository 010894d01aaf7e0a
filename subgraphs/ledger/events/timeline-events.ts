import type { Reading } from '../../../shared/auth/reading.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import { AI_PROVENANCE_PARTITION } from '../../../shared/ids/tenant.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { judgedEntries, type TimelinePart, type TimelineRecord } from '../../../shared/timeline/entry.js';
import type { TimelineWindow } from '../../../shared/timeline/window.js';
import type { TenantContext } from '../append/index.js';
import { consentView } from './consented-events.js';
import { type EventView, type ListSight, listEvents } from './read-events.js';

export interface TimelineEventsAsked {
  readonly kind: 'EVENT' | 'DECISION';
  readonly memberId: string;
  readonly window: TimelineWindow;
}

/**
 * Returns a member's events, or AI decisions about the member, as this reader may see them.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function timelineEvents(
  consent: ConsentGate,
  reading: Reading,
  tenant: TenantContext,
  sight: ListSight,
  { kind, memberId, window }: TimelineEventsAsked,
): Promise<TimelinePart> {
  const { content, fromMs, toMs, order, limit, cursor } = window;
  const { items, next_cursor } = await listEvents(tenant, sight, {
    ...content,
    member_id: memberId,
    order,
    limit,
    ...(fromMs === undefined ? {} : { from: isoTime(fromMs) }),
    ...(toMs === undefined ? {} : { to: isoTime(toMs) }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(kind === 'DECISION' ? { source_system: AI_PROVENANCE_PARTITION } : {}),
  });
  const toRecord = async (item: EventView): Promise<TimelineRecord> => ({
    entry: {
      kind,
      id: item.event_id,
      at: await timeOf(tenant, item),
      member_id: memberId,
      type: textOrNull(item['event_type']),
      status: textOrNull(item['outcome']),
      source_system: textOrNull(item['source_system']),
      record: item,
    },
    view: await consentView(tenant, sight, item),
  });
  const records = await Promise.all(items.map(toRecord));
  return { items: await judgedEntries(consent, reading.tenantId, reading.stated, records), next_cursor };
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The sort position, which a redaction of the written time does not change. */
async function timeOf(tenant: TenantContext, item: EventView): Promise<string> {
  const written = item['event_effective_timestamp'];
  const instant = typeof written === 'string' ? instantOf(written) : undefined;
  if (instant !== undefined) return isoTime(instant);
  const row = await tenant.ledger.byEventId(item.event_id);
  return isoTime(row?.query?.effective_at.getTime() ?? 0);
}
