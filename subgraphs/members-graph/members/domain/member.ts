import { isDeepStrictEqual } from 'node:util';
import { stateMachine } from '../../../../shared/state-machine/state-machine.js';
import type { PersonAddress, PersonIdentifier } from '../../matching/domain/index.js';

// Members of the directory (api.md section 6 "Members"). The caller chooses `member_id`.

export const MEMBER_STATUSES = ['ACTIVE', 'INACTIVE', 'MERGED'] as const;
export type MemberStatus = (typeof MEMBER_STATUSES)[number];

/** Status without merges: a link states a merge, so that removing the link restores the status. */
export type OwnStatus = Exclude<MemberStatus, 'MERGED'>;

export type MemberAction =
  | 'create'
  | 'update'
  | 'deactivate'
  | 'activate'
  | 'merge'
  | 'merge-inactive'
  | 'unmerge'
  | 'unmerge-inactive';

const write = { scope: 'members:write' } as const;

/** Events may still update a merged record; callers may not. */
export const MEMBER_MACHINE = stateMachine<MemberStatus, MemberAction>('member', [
  { from: null, action: 'create', to: 'ACTIVE', ...write, emits: ['member.created'] },
  { from: 'ACTIVE', action: 'update', to: 'ACTIVE', ...write, emits: ['member.updated'] },
  { from: 'INACTIVE', action: 'update', to: 'INACTIVE', ...write, emits: ['member.updated'] },
  { from: 'ACTIVE', action: 'deactivate', to: 'INACTIVE', ...write, emits: ['member.deactivated'] },
  { from: 'INACTIVE', action: 'activate', to: 'ACTIVE', ...write, emits: ['member.activated'] },
  { from: 'ACTIVE', action: 'merge', to: 'MERGED', ...write, emits: ['member.merged'] },
  { from: 'INACTIVE', action: 'merge-inactive', to: 'MERGED', ...write, emits: ['member.merged'] },
  { from: 'MERGED', action: 'unmerge', to: 'ACTIVE', ...write, emits: ['member.unmerged'] },
  { from: 'MERGED', action: 'unmerge-inactive', to: 'INACTIVE', ...write, emits: ['member.unmerged'] },
]);

export const SEXES = ['FEMALE', 'MALE', 'OTHER', 'UNKNOWN'] as const;
export type Sex = (typeof SEXES)[number];

interface MemberName {
  readonly family: string | null;
  readonly given: readonly string[];
  readonly suffix: string | null;
}

interface MemberAddress extends PersonAddress {
  readonly country?: string;
}

/** Data about a person. An unknown value is null; an unknown part of a value is absent. */
export interface Demographics {
  readonly identifiers: readonly PersonIdentifier[];
  readonly name: MemberName;
  readonly former_families: readonly string[];
  readonly birth_date: string | null;
  readonly multiple_birth: boolean | null;
  readonly sex: Sex | null;
  readonly addresses: readonly MemberAddress[];
  readonly phones: readonly string[];
  readonly emails: readonly string[];
  readonly program: string | null;
  readonly jurisdiction: string | null;
}

export const NOTHING_KNOWN: Demographics = {
  identifiers: [],
  name: { family: null, given: [], suffix: null },
  former_families: [],
  birth_date: null,
  multiple_birth: null,
  sex: null,
  addresses: [],
  phones: [],
  emails: [],
  program: null,
  jurisdiction: null,
};

const isDemographic = (name: string): name is keyof Demographics => Object.hasOwn(NOTHING_KNOWN, name);
export const DEMOGRAPHIC_MEMBERS: readonly (keyof Demographics)[] = Object.keys(NOTHING_KNOWN).filter(isDemographic);

export type DemographicsPatch = Partial<Demographics>;

/** Returns the differing members with their values before. */
export function differing(before: Demographics, after: Demographics): Readonly<Record<string, unknown>> {
  const names = DEMOGRAPHIC_MEMBERS.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  return Object.fromEntries(names.map((name) => [name, before[name]]));
}

/** True for a calendar date as YYYY, YYYY-MM or YYYY-MM-DD. */
export function isPartialDate(text: string): boolean {
  const [, year, month = '01', day = '01'] = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(text) ?? [];
  if (year === undefined) return false;
  const whole = `${year}-${month}-${day}`;
  const at = new Date(`${whole}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(whole);
}

const MAX_IDENTIFIERS = 50;
const MAX_FORMER_FAMILIES = 10;

/**
 * Applies an event's data to a member. Newer data replaces; older data fills gaps, so that an old message does not undo a
 * correction. Idempotent.
 */
export function applyMention(known: Demographics | null, given: DemographicsPatch, isNewer: boolean): Demographics {
  const before = known ?? NOTHING_KNOWN;
  const merged: Demographics = isNewer ? { ...before, ...given } : filledIn(before, given);
  return {
    ...merged,
    identifiers: unionOf(before.identifiers, given.identifiers ?? []),
    former_families: formerOf(before, merged),
    addresses: addressesOf(before.addresses, given.addresses ?? [], isNewer),
  };
}

function filledIn(before: Demographics, given: DemographicsPatch): Demographics {
  const isMissing = (name: keyof Demographics): boolean => {
    if (name === 'name') return before.name.family === null && before.name.given.length === 0;
    const known = before[name];
    return known === null || (Array.isArray(known) && known.length === 0);
  };
  const filled = DEMOGRAPHIC_MEMBERS.filter((name) => name in given && isMissing(name));
  return { ...before, ...Object.fromEntries(filled.map((name) => [name, given[name]])) };
}

/** Events only add identifiers: each system has its own. */
function unionOf(known: readonly PersonIdentifier[], given: readonly PersonIdentifier[]): readonly PersonIdentifier[] {
  const all = new Map([...known, ...given].map((each) => [`${each.system} ${each.value}`, each]));
  return [...all.values()].slice(0, MAX_IDENTIFIERS);
}

/** Keeps a replaced family name for searches. */
function formerOf(before: Demographics, after: Demographics): readonly string[] {
  const { family } = before.name;
  if (family === null || after.name.family === null || family === after.name.family) return before.former_families;
  return [...new Set([family, ...before.former_families])].slice(0, MAX_FORMER_FAMILIES);
}

/** Events have only the state of an address: it does not replace a full address in the same state. */
function addressesOf(
  known: readonly MemberAddress[],
  given: readonly MemberAddress[],
  isNewer: boolean,
): readonly MemberAddress[] {
  const [first] = given;
  if (first === undefined) return known;
  if (known.length === 0) return given;
  if (!isNewer || known.some(({ state }) => state === first.state)) return known;
  return [first, ...known.filter((each) => Object.keys(each).length > 1)].slice(0, 20);
}
