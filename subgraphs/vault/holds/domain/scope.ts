import type { HoldSubject } from '../../../../shared/contracts/holds.js';

/**
 * The scope of a hold. `event_ids` and `document_ids` name records; the other members form one filter, all of which
 * must match.
 * The hold covers every record that is named or matches.
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
  /** Names of records may be unknown: they are still to come. */
  readonly allow_unknown?: boolean;
}

export interface ScopedHold {
  readonly scope: HoldScope;
  /** The hold also covers the documents of this matter. */
  readonly matter_id: string | null;
}

const NAMES = ['event_ids', 'document_ids'] as const;
const FILTERS = ['member_ids', 'source_systems', 'event_families'] as const;
const BOUNDS = ['from', 'to'] as const;

/** Checks whether a hold covers a subject. An unknown fact never exempts a subject. */
export function matches({ scope, matter_id }: ScopedHold, { kind, id, facts }: HoldSubject): boolean {
  if (matter_id !== null && facts.matter_id === matter_id) return true;
  if ((kind === 'EVENT' ? scope.event_ids : scope.document_ids)?.includes(id)) return true;
  if (facts.event_ids?.some((eventId) => scope.event_ids?.includes(eventId))) return true;
  if (!hasFilter(scope)) return false;
  return (
    matchesAny(scope.member_ids, facts.member_ids) &&
    matchesAny(scope.source_systems, facts.source_system === undefined ? undefined : [facts.source_system]) &&
    matchesAny(lower(scope.event_families), lower(facts.event_families)) &&
    isWithin(scope, facts.at_ms)
  );
}

const lower = (names: readonly string[] | undefined) => names?.map((name) => name.toLowerCase());

const matchesAny = (wanted: readonly string[] | undefined, known: readonly string[] | undefined): boolean =>
  wanted === undefined || known === undefined || known.some((value) => wanted.includes(value));

function isWithin({ from, to }: HoldScope, atMs: number | undefined): boolean {
  if (atMs === undefined) return true;
  return (from === undefined || Date.parse(from) <= atMs) && (to === undefined || atMs < Date.parse(to));
}

const hasFilter = (scope: HoldScope): boolean => [...FILTERS, ...BOUNDS].some((name) => scope[name] !== undefined);

/** Removes absent members and empty lists, which restrict nothing. */
export function withoutEmpty(scope: HoldScope): HoldScope {
  const kept: { -readonly [Name in keyof HoldScope]: HoldScope[Name] } = {};
  for (const name of [...NAMES, ...FILTERS]) {
    const ids = scope[name] ?? [];
    if (ids.length > 0) kept[name] = [...new Set(ids)].sort();
  }
  for (const name of BOUNDS) {
    const at = scope[name];
    if (at != null) kept[name] = at;
  }
  if (scope.allow_unknown === true) kept.allow_unknown = true;
  return kept;
}

/** Checks for an empty scope: such a hold would be mistaken for protection. */
export const isEmptyScope = ({ scope, matter_id }: ScopedHold): boolean =>
  matter_id === null && Object.keys(withoutEmpty({ ...scope, allow_unknown: false })).length === 0;

/**
 * Checks whether the second scope covers everything that the first one does.
 * An amendment may widen a hold; narrowing it is a release, which needs an authority. Compares only the scopes, so that
 * some wider ones are rejected too.
 */
export function coversNoLess(before: ScopedHold, after: ScopedHold): boolean {
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
