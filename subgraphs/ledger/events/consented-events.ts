import { isWithin, type Reading } from '../../../shared/auth/reading.js';
import { type SensitiveView, viewOfEvent } from '../../../shared/consent/sensitivity.js';
import { refuseWithheld, type Withheld, withoutWithheld } from '../../../shared/consent/withheld.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { TenantContext } from '../append/index.js';
import {
  type EventListInput,
  type EventSight,
  type EventView,
  type ListSight,
  listEvents,
  readEvent,
  recordOf,
} from './read-events.js';

export interface ConsentedReader {
  readonly consent: ConsentGate;
  readonly reading: Reading;
}

/**
 * Returns an event to a caller with a purpose or with a token for one member.
 *
 * @throws FORBIDDEN if consent withholds it.
 */
export async function readConsented(
  { consent, reading }: ConsentedReader,
  tenant: TenantContext,
  sight: EventSight,
  eventId: string,
): Promise<EventView | null> {
  if (reading.stated !== null) {
    const view = isIdOf('event', eventId) ? await originalOf(tenant, sight, eventId) : null;
    if (view === null || !isWithin(reading, view.member_ids)) return null;
    await refuseWithheld(consent, reading.tenantId, reading.stated, view);
  }
  return readEvent(tenant, sight, eventId);
}

/**
 * Lists events without those that consent withholds, and counts the withheld ones on this page.
 *
 * @throws FORBIDDEN for a member other than the token's.
 */
export async function listConsented(
  { consent, reading }: ConsentedReader,
  tenant: TenantContext,
  sight: ListSight,
  input: EventListInput,
): Promise<Page<EventView> & { readonly withheld?: Withheld }> {
  const { items, next_cursor } = await listEvents(tenant, sight, withinReading(reading, input));
  return { ...(await openedItems({ consent, reading }, tenant, sight, items)), next_cursor };
}

/** Returns the items that consent opens for the stated purpose, and counts the others. */
export async function openedItems(
  { consent, reading }: ConsentedReader,
  tenant: TenantContext,
  sight: EventSight,
  items: readonly EventView[],
): Promise<{ readonly items: readonly EventView[]; readonly withheld?: Withheld }> {
  if (reading.stated === null) return { items };
  const checked = await Promise.all(
    items.map(async (item) => ({ item, view: await consentView(tenant, sight, item) })),
  );
  const viewOf = ({ view }: (typeof checked)[number]): SensitiveView => view;
  const { kept, withheld } = await withoutWithheld(consent, reading.tenantId, reading.stated, checked, viewOf);
  return { items: kept.map(({ item }) => item), ...(withheld === null ? {} : { withheld }) };
}

/** A token lists the events of its member, under each of the member's identifiers. */
function withinReading({ memberIds }: Reading, input: EventListInput): EventListInput {
  if (memberIds === null) return input;
  const [own] = memberIds;
  const asked = input.member_id ?? own;
  if (asked !== undefined && memberIds.includes(asked)) return { ...input, member_id: asked };
  throw problem('FORBIDDEN', { message: 'This token gives access to the record of another member only.' });
}

/** Consent uses the recorded labels, even those that a redaction hides. */
export async function consentView(tenant: TenantContext, sight: EventSight, item: EventView): Promise<SensitiveView> {
  const original = item.state === 'REDACTED' ? await originalOf(tenant, sight, item.event_id) : null;
  return original ?? consentViewOf(item);
}

/** @throws DISPOSED, INTEGRITY_FAILURE */
async function originalOf(tenant: TenantContext, sight: EventSight, eventId: string): Promise<SensitiveView | null> {
  const row = await tenant.ledger.byEventId(eventId);
  if (row === null) return null;
  const [proof] = await sight.rowProofs(tenant, [row]);
  if (!proof || proof.disposalId !== null) throw problem('DISPOSED');
  return consentViewOf(recordOf(row));
}

/** Returns the members of a record that consent looks at. */
export function consentViewOf({ member_id, event_family, source_system, payload }: JsonObject): SensitiveView {
  return viewOfEvent({
    member_id: typeof member_id === 'string' ? member_id : null,
    event_family: String(event_family),
    source_system: String(source_system),
    payload,
  });
}
