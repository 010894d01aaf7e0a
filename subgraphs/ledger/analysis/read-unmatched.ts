import { claimKey, type EventKey, familyKey, valuesOfKeys } from '../../../shared/event-keys/event-keys.js';
import type { KeyedPlace, TenantEventKeys } from '../event-keys/index.js';
import { edgesOfEvents, type LinkStore } from '../links/index.js';
import type { Span } from './domain/index.js';
import { examine } from './read-denials.js';

const REMITTANCE: EventKey = familyKey('remittance');
const CLAIM: EventKey = familyKey('claim');
/** The most remittances with links in one read. */
const AT_ONCE = 200;
const MAX_CLAIMS = 5_000;
/** A report of a claim's status is in the family of claims, and is no claim. */
const STATUS_TYPES: ReadonlySet<string> = new Set(['claim_status_reported', 'claim_status_asked']);

interface Unmatched {
  readonly remittances: readonly KeyedPlace[];
  readonly truncated: boolean;
}

/**
 * Reads remittances without a claim: no claim is linked to them by a number (docs/linking.md), and no claim has their
 * `claim_id`.
 */
export async function readUnmatched(
  events: TenantEventKeys,
  links: ReturnType<LinkStore['forTenant']>,
  span: Partial<Span>,
): Promise<Unmatched> {
  const { places, truncated } = await examine(events, [REMITTANCE], span);
  const remittances: KeyedPlace[] = [];
  let cut = truncated;
  for (let i = 0; i < places.length; i += AT_ONCE) {
    const some = places.slice(i, i + AT_ONCE);
    const ids = some.map(({ event_id }) => event_id);
    const claims = [...new Set(some.flatMap(({ keys }) => valuesOfKeys(keys, 'claim')))].map(claimKey);
    const [{ edges, truncated: hubs }, named] = await Promise.all([
      edgesOfEvents(links, ids),
      claims.length === 0 ? [] : events.withAny(claims, CLAIM, MAX_CLAIMS),
    ]);
    cut ||= hubs || named.length === MAX_CLAIMS;
    const linked = new Set(edges.filter(({ kind }) => kind === 'ADJUDICATES').map(({ from }) => from));
    const known = new Set(named.filter(isClaim).flatMap(({ keys }) => valuesOfKeys(keys, 'claim')));
    remittances.push(...some.filter((place) => !linked.has(place.event_id) && !names(place, known)));
  }
  return { remittances, truncated: cut };
}

const isClaim = ({ event_type }: KeyedPlace): boolean => event_type === undefined || !STATUS_TYPES.has(event_type);

const names = ({ keys }: KeyedPlace, claims: ReadonlySet<string>): boolean =>
  valuesOfKeys(keys, 'claim').some((claim) => claims.has(claim));
