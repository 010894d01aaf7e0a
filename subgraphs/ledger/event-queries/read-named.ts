import { isWithin } from '../../../shared/auth/reading.js';
import { type EventKey, memberKey } from '../../../shared/event-keys/event-keys.js';
import { consentView, type EventView, hasKeys, viewsOfRows } from '../events/index.js';
import { type EventReader, openedOf } from './visible-events.js';

/** Events of a member, a provider, a claim or a code that an edge of the graph shows. */
export const MAX_KEYED = 50;

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
 * Returns the newest events with all keys of a set, for each set in order. The index finds them, and the record decides. A
 * token for one member reads events of that member alone.
 *
 * @param sets the rarest key of a set first
 * @throws INTEGRITY_FAILURE
 */
export async function readKeyed(
  reader: EventReader,
  sets: readonly (readonly EventKey[])[],
): Promise<readonly (readonly EventView[])[]> {
  const { events, tenant, sight, by } = reader;
  const { memberIds } = by.reading;
  const ofToken = (keys: readonly EventKey[]): readonly (readonly EventKey[])[] =>
    memberIds === null ? [keys] : memberIds.map((id) => [...new Set([...keys, memberKey(id)])]);
  const query = { space: '', ascending: false, limit: MAX_KEYED };
  const found = await Promise.all(
    sets.map(async (keys) =>
      (await Promise.all(ofToken(keys).map((own) => events.find({ ...query, keys: own })))).flat(),
    ),
  );
  const places = new Map(found.flat().map((place) => [place.event_id, place]));
  const rows = places.size === 0 ? [] : await events.rows([...places.values()]);
  const { items } = await openedOf(reader, await viewsOfRows(tenant, sight, rows));
  const byId = new Map(items.map((view) => [view.event_id, view]));
  return found.map((own, at) =>
    own
      .flatMap(({ event_id }) => byId.get(event_id) ?? [])
      .filter((view) => hasKeys(view, sets[at] ?? []))
      .slice(0, MAX_KEYED),
  );
}

async function ofReader(reader: EventReader, views: readonly EventView[]): Promise<readonly EventView[]> {
  const { items } = await openedOf(reader, views);
  const { reading } = reader.by;
  if (reading.memberIds === null) return items;
  const checked = await Promise.all(
    items.map(async (view) => ({ view, of: (await consentView(reader.tenant, reader.sight, view)).member_ids })),
  );
  return checked.filter(({ of }) => isWithin(reading, of)).map(({ view }) => view);
}
