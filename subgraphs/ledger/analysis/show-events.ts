import type { Withheld } from '../../../shared/consent/withheld.js';
import type { EventKey } from '../../../shared/event-keys/event-keys.js';
import type { LedgerRow } from '../append/domain/index.js';
import type { TenantContext } from '../append/index.js';
import type { KeyedPlace, TenantEventKeys } from '../event-keys/index.js';
import {
  type ConsentedReader,
  type EventSight,
  type EventView,
  hasKeys,
  openedItems,
  recorded,
  viewsOfRows,
} from '../events/index.js';
import type { AppealedDenial as Joined } from './domain/index.js';
import type { AppealedDenial } from './schema.js';

/** What the events of one answer are shown with. */
export interface Shown {
  readonly by: ConsentedReader;
  readonly tenant: TenantContext;
  readonly sight: EventSight;
  readonly events: TenantEventKeys;
}

interface ShownItems<T> {
  readonly items: readonly T[];
  readonly withheld?: Withheld;
}

/**
 * Returns rows as the reader may see them: proven, redacted, and opened by consent.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function showRows(
  { by, tenant, sight }: Shown,
  rows: readonly LedgerRow[],
): Promise<ShownItems<EventView>> {
  return openedItems(by, tenant, sight, await viewsOfRows(tenant, sight, rows));
}

/** Shows denials with their appeals, all in one read. Omits a denial that the reader sees without code or appeal. */
export async function showAppealed(
  shown: Shown,
  found: readonly Joined<KeyedPlace>[],
  keys: readonly EventKey[],
): Promise<ShownItems<AppealedDenial>> {
  const places = new Map(found.flatMap(({ denial, appeals }) => [denial, ...appeals]).map((at) => [at.event_id, at]));
  const { items, ...rest } = await showRows(shown, await shown.events.rows([...places.values()]));
  const byId = new Map(items.map((item) => [item.event_id, item]));
  const viewOf = ({ event_id }: KeyedPlace) => byId.get(event_id) ?? [];
  return {
    items: found.flatMap(({ denial, appeals }): AppealedDenial[] => {
      const [own] = [denial].flatMap(viewOf);
      const judged = appeals.flatMap(viewOf);
      if (own === undefined || judged.length === 0 || !hasKeys(own, keys)) return [];
      const overturned = judged.some(({ outcome }) => String(outcome).toUpperCase() === 'OVERTURNED');
      return [{ denial: recorded(own), appeals: judged.map(recorded), overturned }];
    }),
    ...rest,
  };
}
