import type { Keyset } from '../../../shared/pagination/cursor.js';
import type { KeyedPlace, TenantEventKeys } from '../event-keys/index.js';
import type { Bounds, Leads } from './domain/index.js';

/** Places of one batch in order of (effective time, event), and where the next batch begins. */
interface PlaceBatch {
  readonly places: readonly KeyedPlace[];
  /** Undefined after the last batch. */
  readonly next: Keyset | undefined;
}

interface PlaceScan extends Bounds {
  readonly leads: Leads;
  readonly ascending: boolean;
}

const keysetOf = ({ effective_at, event_id }: KeyedPlace): Keyset => ({ atMs: effective_at.getTime(), id: event_id });

/** Reads a batch of places that have one of the leading keys. Each key is one range of the index. */
export async function readPlaces(
  events: TenantEventKeys,
  { leads, ascending, ...span }: PlaceScan,
  after: Keyset | undefined,
  limit: number,
): Promise<PlaceBatch> {
  const before = (a: Keyset, b: Keyset): boolean => {
    const sign = a.atMs - b.atMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
    return ascending ? sign < 0 : sign > 0;
  };
  const asked = { space: '', ascending, limit, ...span, ...(after === undefined ? {} : { after }) };
  const ranges = await Promise.all(leads.any.map((key) => events.find({ ...asked, keys: [key, ...leads.all] })));
  // Beyond the last place of a full range, that range may have more places.
  const ends = ranges.flatMap((range) => {
    const last = range.at(-1);
    return range.length === limit && last !== undefined ? [keysetOf(last)] : [];
  });
  const [first, ...rest] = ends;
  const end = first && rest.reduce((nearest, one) => (before(one, nearest) ? one : nearest), first);
  const merged = new Map(ranges.flat().map((place) => [place.event_id, place]));
  const places = [...merged.values()]
    .filter((place) => end === undefined || !before(end, keysetOf(place)))
    .sort((a, b) => (before(keysetOf(a), keysetOf(b)) ? -1 : 1));
  return { places, next: end };
}
