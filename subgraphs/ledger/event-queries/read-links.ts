import { viewsOfRows } from '../events/index.js';
import { linksOfEvents } from '../links/index.js';
import type { EventLink } from '../links/schema.js';
import type { AggregateReader } from './read-aggregate.js';
import { openedOf } from './visible-events.js';

const MAX_LINKS = 50;

/**
 * Reads the links of many events together. For a stated purpose, consent leaves out links to events that it withholds.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function readLinks(
  reader: AggregateReader,
  eventIds: readonly string[],
): Promise<readonly (readonly EventLink[])[]> {
  const found = await linksOfEvents(reader.links, eventIds);
  const ends = [...new Set([...found.values()].flatMap((links) => links.map(({ event_id }) => event_id)))];
  const open = await openAmong(reader, ends);
  return eventIds.map((id) => (found.get(id) ?? []).filter(({ event_id }) => open(event_id)).slice(0, MAX_LINKS));
}

async function openAmong(reader: AggregateReader, eventIds: readonly string[]): Promise<(eventId: string) => boolean> {
  if (reader.by.reading.stated === null) return () => true;
  const rows = eventIds.length === 0 ? [] : await reader.events.rowsOf(eventIds);
  const { items } = await openedOf(reader, await viewsOfRows(reader.tenant, reader.sight, rows));
  const open = new Set(items.map(({ event_id }) => event_id));
  return (eventId) => open.has(eventId);
}
