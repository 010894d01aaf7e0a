import { isWithin, type Reading } from '../../../shared/auth/reading.js';
import { type SensitiveView, viewOfEvent } from '../../../shared/consent/sensitivity.js';
import { refuseWithheld, type Withheld, withoutWithheld } from '../../../shared/consent/withheld.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import {
  type EventListInput,
  type EventSight,
  type EventView,
  listEvents,
  readEvent,
  recordOf,
} from './read-events.js';
import type { TenantContext } from './tenant-context.js';

export interface ConsentedReader {
  readonly consent: ConsentGate;
  readonly reading: Reading;
}

/** An event for who states a purpose, or holds a token to one member's record. @throws FORBIDDEN where consent withholds it */
export async function readConsented(
  { consent, reading }: ConsentedReader,
  tenant: TenantContext,
  sight: EventSight,
  eventId: string,
): Promise<EventView | null> {
  if (reading.stated !== null) {
    const view = isIdOf('event', eventId) ? await originalOf(tenant, eventId) : null;
    if (view === null || !isWithin(reading, view.member_ids)) return null;
    await refuseWithheld(consent, reading.tenantId, reading.stated, view);
  }
  return readEvent(tenant, sight, eventId);
}

/** Events without what consent withholds, and how many those are on this page. @throws FORBIDDEN for somebody else's member */
export async function listConsented(
  { consent, reading }: ConsentedReader,
  tenant: TenantContext,
  sight: EventSight,
  input: EventListInput,
): Promise<Page<EventView> & { readonly withheld?: Withheld }> {
  const { items, next_cursor } = await listEvents(tenant, sight, withinReading(reading, input));
  if (reading.stated === null) return { items, next_cursor };
  const judged = await Promise.all(items.map(async (item) => ({ item, view: await judgedView(tenant, item) })));
  const viewOf = ({ view }: (typeof judged)[number]): SensitiveView => view;
  const { kept, withheld } = await withoutWithheld(consent, reading.tenantId, reading.stated, judged, viewOf);
  return { items: kept.map(({ item }) => item), next_cursor, ...(withheld === null ? {} : { withheld }) };
}

/** A token lists its member's events; a person with several identifiers by each of them. */
function withinReading({ memberIds }: Reading, input: EventListInput): EventListInput {
  if (memberIds === null) return input;
  const [own] = memberIds;
  const asked = input.member_id ?? own;
  if (asked !== undefined && memberIds.includes(asked)) return { ...input, member_id: asked };
  throw problem('FORBIDDEN', { message: 'This token opens the record of another member.' });
}

/** A label that a redaction hides counts all the same: consent looks at what was recorded. */
export async function judgedView(tenant: TenantContext, item: EventView): Promise<SensitiveView> {
  const original = item.state === 'REDACTED' ? await originalOf(tenant, item.event_id) : null;
  return original ?? viewOfEvent(item as unknown as Parameters<typeof viewOfEvent>[0]);
}

async function originalOf(tenant: TenantContext, eventId: string): Promise<SensitiveView | null> {
  const row = await tenant.ledger.byEventId(eventId);
  return row ? viewOfEvent(recordOf(row) as unknown as Parameters<typeof viewOfEvent>[0]) : null;
}
