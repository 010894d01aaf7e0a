import { isWithin } from '../../../shared/auth/reading.js';
import { familyKey, memberKey } from '../../../shared/event-keys/event-keys.js';
import { consentView, type EventView, hasKeys, viewsOfRows } from '../events/index.js';
import { type EventReader, openedOf } from './visible-events.js';

/** Claims of a member that an edge of the graph shows. */
export const MAX_CLAIMS = 50;

/**
 * Returns events by their identifiers, in order; null for an unknown event, a disposed one, and one that consent or the
 * member of a token excludes. Two reads for all of them.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function readNamed(
  reader: EventReader,
  eventIds: readonly string[],
): Promise<readonly (EventView | null)[]> {
  const rows = await reader.events.rowsOf([...new Set(eventIds)]);
  const views = await ofReader(reader, await viewsOfRows(reader.tenant, reader.sight, rows));
  const byId = new Map(views.map((view) => [view.event_id, view]));
  return eventIds.map((id) => byId.get(id) ?? null);
}

/**
 * Returns the newest claims of each member, in the order of the members. The index finds them, and the record decides.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function readClaims(
  reader: EventReader,
  memberIds: readonly string[],
): Promise<readonly (readonly EventView[])[]> {
  const { events, tenant, sight, by } = reader;
  const own = [...new Set(memberIds)].filter((id) => isWithin(by.reading, [id]));
  const query = { space: '', ascending: false, limit: MAX_CLAIMS };
  const places = await Promise.all(own.map((id) => events.find({ ...query, keys: keysOf(id) })));
  const rows = places.every((some) => some.length === 0) ? [] : await events.rows(places.flat());
  const { items } = await openedOf(reader, await viewsOfRows(tenant, sight, rows));
  return memberIds.map((id) => items.filter((view) => hasKeys(view, keysOf(id))));
}

const keysOf = (memberId: string) => [memberKey(memberId), familyKey('claim')];

async function ofReader(reader: EventReader, views: readonly EventView[]): Promise<readonly EventView[]> {
  const { items } = await openedOf(reader, views);
  const { reading } = reader.by;
  if (reading.memberIds === null) return items;
  const checked = await Promise.all(
    items.map(async (view) => ({ view, of: (await consentView(reader.tenant, reader.sight, view)).member_ids })),
  );
  return checked.filter(({ of }) => isWithin(reading, of)).map(({ view }) => view);
}
