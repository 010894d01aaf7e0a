import type { EventKey } from '../../../../shared/event-keys/event-keys.js';

// A filter of events as a tree. It is evaluated over what a reader may see of an event, and it says by which keys an
// index finds every event that can match.

/** What an event says, as far as its reader may see it. */
export interface Said {
  readonly event_id: string;
  readonly keys: ReadonlySet<EventKey>;
  /** In lower case. */
  readonly event_type: string;
  readonly source_system: string;
  readonly at_ms: number;
  readonly charge_cents: number | null;
  readonly paid_cents: number | null;
}

type AmountName = 'charge_cents' | 'paid_cents';

export type Condition =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  /** One of these keys. Keys of one condition have one name; `rank` orders names from the rarest values on. */
  | { readonly kind: 'key'; readonly keys: readonly EventKey[]; readonly rank: number }
  /** A key with one of these beginnings. */
  | { readonly kind: 'prefix'; readonly prefixes: readonly string[] }
  | { readonly kind: 'type' | 'source'; readonly values: readonly string[] }
  /** `fromMs` ≤ time < `toMs`. */
  | { readonly kind: 'time'; readonly fromMs?: number; readonly toMs?: number }
  /** A stated amount with `atLeast` ≤ amount < `lessThan`. */
  | { readonly kind: 'amount'; readonly name: AmountName; readonly atLeast?: number; readonly lessThan?: number };

export const EVERYTHING: Condition = { kind: 'all', of: [] };

/** Returns true if an event meets the condition. */
export function matches(condition: Condition, said: Said): boolean {
  switch (condition.kind) {
    case 'all':
      return condition.of.every((one) => matches(one, said));
    case 'any':
      return condition.of.some((one) => matches(one, said));
    case 'not':
      return !matches(condition.of, said);
    case 'key':
      return condition.keys.some((key) => said.keys.has(key));
    case 'prefix':
      return condition.prefixes.some((prefix) => [...said.keys].some((key) => key.startsWith(prefix)));
    case 'type':
      return condition.values.includes(said.event_type);
    case 'source':
      return condition.values.includes(said.source_system);
    case 'time':
      return within(said.at_ms, condition.fromMs, condition.toMs);
    case 'amount': {
      const cents = said[condition.name];
      return cents !== null && within(cents, condition.atLeast, condition.lessThan);
    }
  }
}

const within = (value: number, from = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY): boolean =>
  value >= from && value < before;

/** Bounds of time that every match keeps. */
export interface Bounds {
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** Returns the bounds of time that hold for every match. */
export function boundsOf(condition: Condition): Bounds {
  const times = required(condition).flatMap((one) => (one.kind === 'time' ? [one] : []));
  const froms = times.flatMap(({ fromMs }) => fromMs ?? []);
  const tos = times.flatMap(({ toMs }) => toMs ?? []);
  return {
    ...(froms.length === 0 ? {} : { fromMs: Math.max(...froms) }),
    ...(tos.length === 0 ? {} : { toMs: Math.min(...tos) }),
  };
}

/** How an index finds the events that can match. */
export interface Leads {
  /** Every match has one of these keys. */
  readonly any: readonly EventKey[];
  /** Every match has all of these keys too. */
  readonly all: readonly EventKey[];
}

/** Returns the keys that find every match; null if a match may have none of any known keys. */
export function leadsOf(condition: Condition): Leads | null {
  const found = required(condition).flatMap((one) => alternativesOf(one) ?? []);
  const [best] = [...found].sort((a, b) => a.rank - b.rank || a.keys.length - b.keys.length);
  if (best === undefined) return null;
  const others = found.filter((one) => one !== best && one.keys.length === 1).flatMap(({ keys }) => keys);
  return { any: best.keys, all: [...new Set(others)] };
}

/** The conditions that every match meets. */
const required = (condition: Condition): readonly Condition[] =>
  condition.kind === 'all' ? condition.of.flatMap(required) : [condition];

interface Alternatives {
  readonly keys: readonly EventKey[];
  readonly rank: number;
}

/** Keys of which each match has one; null if there are none. */
function alternativesOf(condition: Condition): Alternatives | null {
  if (condition.kind === 'key') return condition;
  if (condition.kind === 'all') {
    const leads = condition.of.flatMap((one) => alternativesOf(one) ?? []).sort((a, b) => a.rank - b.rank);
    return leads[0] ?? null;
  }
  if (condition.kind !== 'any' || condition.of.length === 0) return null;
  const branches = condition.of.map(alternativesOf);
  const known = branches.flatMap((branch) => branch ?? []);
  if (known.length < branches.length) return null;
  const keys = [...new Set(known.flatMap((branch) => branch.keys))];
  return { keys, rank: Math.max(...known.map(({ rank }) => rank)) };
}
