import { claimKey, type EventKey, familyKey, outcomeKey, valuesOfKeys } from '../../../shared/event-keys/event-keys.js';
import type { KeyedPlace, TenantEventKeys } from '../event-keys/index.js';
import { type AppealedDenial, joinAppeals, type Span } from './domain/index.js';

/** Most events that one analysis examines, newest first; beyond it the answer says that it is truncated. */
const MAX_EXAMINED = 10_000;
const PAGE = 2_000;
/** Claims in one question for their appeals. */
const CLAIMS_AT_ONCE = 500;
const MAX_APPEALS = 5_000;

const APPEAL: EventKey = familyKey('appeal');
const DENIED: EventKey = outcomeKey('denied');

interface Examined {
  readonly places: readonly KeyedPlace[];
  readonly truncated: boolean;
}

/** Reads events with all these keys, newest first, up to the limit of an analysis. */
export async function examine(
  events: TenantEventKeys,
  keys: readonly EventKey[],
  span: Partial<Span>,
): Promise<Examined> {
  const places: KeyedPlace[] = [];
  for (;;) {
    const last = places.at(-1);
    const after = last && { atMs: last.effective_at.getTime(), id: last.event_id };
    const query = { space: '', keys, ascending: false, limit: PAGE, ...span, ...(after ? { after } : {}) };
    const page = await events.find(query);
    places.push(...page);
    if (page.length < PAGE) return { places, truncated: false };
    if (places.length >= MAX_EXAMINED) return { places, truncated: true };
  }
}

interface Denials {
  readonly denials: readonly AppealedDenial<KeyedPlace>[];
  readonly truncated: boolean;
}

/**
 * Reads denials with their appeals. A denial is an event with the outcome DENIED that is no appeal itself.
 *
 * @param keys further keys that the denials must have
 */
export async function readDenials(
  events: TenantEventKeys,
  keys: readonly EventKey[],
  span: Partial<Span>,
): Promise<Denials> {
  const { places, truncated } = await examine(events, [...keys, DENIED], span);
  const denied = places.filter((place) => !place.keys.includes(APPEAL));
  const claims = [...new Set(denied.flatMap((place) => valuesOfKeys(place.keys, 'claim')))].map(claimKey);
  const appeals: KeyedPlace[] = [];
  let cut = false;
  for (let i = 0; i < claims.length; i += CLAIMS_AT_ONCE) {
    const found = await events.withAny(claims.slice(i, i + CLAIMS_AT_ONCE), APPEAL, MAX_APPEALS);
    cut ||= found.length === MAX_APPEALS;
    appeals.push(...found);
  }
  return { denials: joinAppeals(denied, appeals), truncated: truncated || cut };
}
