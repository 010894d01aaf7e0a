import type { PersonIdentifier } from '../matching/person-record.js';
import type { DemographicsPatch } from './demographics.js';
import { type Demographics, type MemberAddress, NOTHING_KNOWN } from './member.js';

const MOST_IDENTIFIERS = 50;
const MOST_FORMER = 10;

/**
 * A member's record with what an event tells. What is newer replaces, what is older fills in what is not known: a correction by
 * hand is not undone by an old message. Telling it again changes nothing.
 */
export function withTold(known: Demographics | null, told: DemographicsPatch, isNewer: boolean): Demographics {
  const before = known ?? NOTHING_KNOWN;
  const merged: Demographics = isNewer ? { ...before, ...told } : filledIn(before, told);
  return {
    ...merged,
    identifiers: unionOf(before.identifiers, told.identifiers ?? []),
    former_families: formerOf(before, merged),
    addresses: addressesOf(before.addresses, told.addresses ?? [], isNewer),
  };
}

function filledIn(before: Demographics, told: DemographicsPatch): Demographics {
  const missing = Object.entries(told).filter(([name]) => {
    const known = before[name as keyof Demographics];
    if (name === 'name') return before.name.family === null && before.name.given.length === 0;
    return known === null || (Array.isArray(known) && known.length === 0);
  });
  return { ...before, ...Object.fromEntries(missing) };
}

/** Identifiers are never taken away by an event: another system has others. */
function unionOf(known: readonly PersonIdentifier[], told: readonly PersonIdentifier[]): readonly PersonIdentifier[] {
  const all = new Map([...known, ...told].map((each) => [`${each.system} ${each.value}`, each]));
  return [...all.values()].slice(0, MOST_IDENTIFIERS);
}

/** A family name that gave way to another one is kept: people are looked for by it. */
function formerOf(before: Demographics, after: Demographics): readonly string[] {
  const { family } = before.name;
  if (family === null || after.name.family === null || family === after.name.family) return before.former_families;
  return [...new Set([family, ...before.former_families])].slice(0, MOST_FORMER);
}

/** Messages tell the state alone: it does not take away an address that lies in it. */
function addressesOf(
  known: readonly MemberAddress[],
  told: readonly MemberAddress[],
  isNewer: boolean,
): readonly MemberAddress[] {
  const [first] = told;
  if (first === undefined) return known;
  if (known.length === 0) return told;
  if (!isNewer || known.some(({ state }) => state === first.state)) return known;
  return [first, ...known.filter((each) => Object.keys(each).length > 1)].slice(0, 20);
}
