import type { HoldSubject } from '../../../shared/contracts/holds.js';

/**
 * What a hold is over. `event_ids` and `document_ids` name things; the other members are one filter, all of which must fit.
 * Whatever is named or fits is held.
 */
export interface HoldScope {
  readonly member_ids?: readonly string[];
  readonly event_ids?: readonly string[];
  readonly document_ids?: readonly string[];
  readonly source_systems?: readonly string[];
  readonly event_families?: readonly string[];
  /** RFC 3339; from ≤ t < to. */
  readonly from?: string;
  readonly to?: string;
}

export interface ScopedHold {
  readonly scope: HoldScope;
  /** Documents of the matter are held as well. */
  readonly matter_id: string | null;
}

const NAMES = ['event_ids', 'document_ids'] as const;
const FILTERS = ['member_ids', 'source_systems', 'event_families'] as const;
const BOUNDS = ['from', 'to'] as const;

/** Whether a hold covers a subject. What is not known of a subject does not take it out of a hold. */
export function matches({ scope, matter_id }: ScopedHold, { kind, id, facts }: HoldSubject): boolean {
  if (matter_id !== null && facts.matter_id === matter_id) return true;
  if ((kind === 'EVENT' ? scope.event_ids : scope.document_ids)?.includes(id)) return true;
  if (facts.event_ids?.some((eventId) => scope.event_ids?.includes(eventId))) return true;
  if (!hasFilter(scope)) return false;
  return (
    fits(scope.member_ids, facts.member_ids) &&
    fits(scope.source_systems, facts.source_system === undefined ? undefined : [facts.source_system]) &&
    fits(lower(scope.event_families), lower(facts.event_families)) &&
    isWithin(scope, facts.at_ms)
  );
}

const lower = (names: readonly string[] | undefined) => names?.map((name) => name.toLowerCase());

const fits = (wanted: readonly string[] | undefined, known: readonly string[] | undefined): boolean =>
  wanted === undefined || known === undefined || known.some((value) => wanted.includes(value));

function isWithin({ from, to }: HoldScope, atMs: number | undefined): boolean {
  if (atMs === undefined) return true;
  return (from === undefined || Date.parse(from) <= atMs) && (to === undefined || atMs < Date.parse(to));
}

const hasFilter = (scope: HoldScope): boolean => [...FILTERS, ...BOUNDS].some((name) => scope[name] !== undefined);

/** Lists without an entry say nothing: a scope of such is none. */
export function withoutEmpty(scope: HoldScope): HoldScope {
  const given = Object.entries(scope).filter(
    ([, value]) => value != null && (!Array.isArray(value) || value.length > 0),
  );
  return Object.fromEntries(
    given.map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)].sort() : value]),
  ) as HoldScope;
}

/** A hold over nothing would be believed to hold something. */
export const isOverNothing = ({ scope, matter_id }: ScopedHold): boolean =>
  matter_id === null && Object.keys(withoutEmpty(scope)).length === 0;

/**
 * Whether the second scope covers everything that the first one does: an amendment may widen a hold, and what narrows it
 * is a release, which needs an authority. Told from the scopes alone, so that some wider ones are refused too.
 */
export function holdsNoLess(before: ScopedHold, after: ScopedHold): boolean {
  if (before.matter_id !== null && after.matter_id !== before.matter_id) return false;
  const isKept = (name: (typeof NAMES)[number]): boolean => isSubset(before.scope[name] ?? [], after.scope[name] ?? []);
  if (!NAMES.every(isKept)) return false;
  if (!hasFilter(before.scope)) return true;
  if (!hasFilter(after.scope)) return false;
  const isWider = (name: (typeof FILTERS)[number]): boolean => {
    const [old, next] = [before.scope[name], after.scope[name]];
    return next === undefined || (old !== undefined && isSubset(old, next));
  };
  return FILTERS.every(isWider) && opensWider(before.scope, after.scope);
}

const isSubset = (few: readonly string[], many: readonly string[]): boolean =>
  few.every((value) => many.includes(value));

function opensWider(before: HoldScope, after: HoldScope): boolean {
  const from =
    after.from === undefined || (before.from !== undefined && Date.parse(after.from) <= Date.parse(before.from));
  const to = after.to === undefined || (before.to !== undefined && Date.parse(after.to) >= Date.parse(before.to));
  return from && to;
}
