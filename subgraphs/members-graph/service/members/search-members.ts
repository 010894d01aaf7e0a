import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { fault, problem } from '../../../../shared/errors/problem.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { lookupKeys } from '../../domain/matching/blocking-keys.js';
import { type Comparable, comparableOf, type NameForm } from '../../domain/matching/comparable.js';
import { type Candidate, type Graded, gradeOf, type MatchThresholds } from '../../domain/matching/grade.js';
import type { PersonRecord } from '../../domain/matching/person-record.js';
import { type MatchModel, scoreOf } from '../../domain/matching/score.js';
import { narrowNameKeys, wideNameKeys } from '../../domain/matching/typed-keys.js';
import type { Demographics } from '../../domain/members/member.js';
import { personOf, phoneEndKeys } from '../../domain/members/member-keys.js';
import {
  type TypedPerson,
  typedPerson,
  withTypedIdentifier,
  withWholePhones,
} from '../../domain/members/typed-person.js';
import type { MemberSketch, TenantMembers } from '../ports/member-store.js';
import type { IdentityDeps } from './identity.js';
import type { MatchModels } from './match-models.js';
import { type FoundMember, survivorsOf } from './survivors.js';

export interface SearchDeps extends IdentityDeps {
  readonly models: Pick<MatchModels, 'of'>;
  readonly thresholds: MatchThresholds;
}

export interface MemberSearch {
  readonly q: string;
  readonly parts: PersonRecord;
  readonly identifier: string;
  readonly limit: number;
}

/** Candidates that are compared in one search; keys are made so that far fewer share one. */
const MOST_CANDIDATES = 2_000;
/** By single names alone: whom the names together did not find. */
const MOST_WIDE = 300;
/** A name that more members have tells nobody apart: it is not looked for alone. */
const MOST_NAMESAKES = 200;
/** An identifier, a number or an address of more members than these finds nobody: it is an employer's or a clinic's. */
const MOST_HOLDERS = 50;
/** In a search everybody who shares a key is ranked; thresholds only say how sure each is. */
const NO_FLOOR = -20;
/** A best score from which on nobody else is looked for: names agree, and the birth date where one was typed. */
const ENOUGH = { names: 12, withYear: 20 } as const;

/** Members as somebody types them, the likeliest first. @throws VALIDATION_ERROR when nothing was typed */
export async function searchMembers(
  deps: SearchDeps,
  context: RequestContext,
  { q, parts, identifier, limit }: MemberSearch,
): Promise<readonly FoundMember[]> {
  const tenantId = authorise(context, 'members:read');
  const typed = typedPerson(q, parts, identifier);
  const narrow = await narrowKeys(deps.members(tenantId), typed);
  if (narrow.length + wideNameKeys(typed.person).length + typed.identifierTexts.length === 0) {
    throw problem('VALIDATION_ERROR', {
      errors: [fault('/q', 'empty', 'Type a name, a date of birth, an identifier or a telephone number.')],
    });
  }
  const graded = await rankedTyped(deps, tenantId, typed, narrow);
  return survivorsOf(deps, tenantId, graded, limit);
}

/** Members that a record may be of, the likeliest first; below the threshold of POSSIBLE nobody is shown. */
export async function matchMember(
  deps: SearchDeps,
  context: RequestContext,
  record: PersonRecord,
  limit: number,
): Promise<readonly FoundMember[]> {
  const tenantId = authorise(context, 'members:read');
  return survivorsOf(deps, tenantId, await gradedMatches(deps, tenantId, record), limit);
}

/** Everybody that a record may be of, as they stand. */
export async function gradedMatches(
  deps: SearchDeps,
  tenantId: TenantId,
  record: PersonRecord,
): Promise<readonly Graded<MemberSketch>[]> {
  const members = deps.members(tenantId);
  const person = comparableOf(record);
  const keys = await tellingKeys(members, lookupKeys(person));
  const [model, found] = await Promise.all([deps.models.of(tenantId), members.under(keys, MOST_CANDIDATES)]);
  const people = peopleOf(found);
  const weighing = amongThese(model, people);
  const scored = people.map(
    ([member, candidate]): Candidate<MemberSketch> => ({
      member,
      person: candidate,
      score: scoreOf(person, candidate, weighing),
    }),
  );
  return gradeOf(scored, deps.thresholds);
}

/**
 * What tells most is looked for first: numbers and the birth date, then the family name with an initial, then the given name with
 * one, then each name alone. Whoever agrees so well that hardly anybody else can be meant ends the search.
 */
export async function rankedTyped(
  deps: SearchDeps,
  tenantId: TenantId,
  typed: TypedPerson,
  narrow: readonly string[],
): Promise<readonly Graded<MemberSketch>[]> {
  const members = deps.members(tenantId);
  const model = await deps.models.of(tenantId);
  const enough = typed.person.birth.year === '' ? ENOUGH.names : ENOUGH.withYear;
  const parts = partsOf(typed);
  const found = new Map<string, Person>();
  let ranked: readonly Graded<MemberSketch>[] = [];
  for (const { keys, most } of tiersOf(typed.person, narrow, model)) {
    const fresh = (await members.under(keys, most, parts)).filter(({ member_id }) => !found.has(member_id));
    for (const person of peopleOf(fresh)) found.set(person[0].member_id, person);
    if (fresh.length > 0) ranked = rank(deps, typed, [...found.values()], model);
    if ((ranked[0]?.score.weight ?? 0) >= enough) return ranked;
  }
  return ranked;
}

/** What of a member has a say beside what was typed: nothing is compared that only one of the two has. */
function partsOf({ person, identifierTexts }: TypedPerson): readonly (keyof Demographics)[] {
  const isNumbered = person.identifiers.length + identifierTexts.length > 0;
  return [
    'name',
    'former_families',
    'birth_date',
    'multiple_birth',
    'sex',
    ...(isNumbered ? (['identifiers'] as const) : []),
    ...(['addresses', 'phones', 'emails'] as const).filter((part) => person[part].length > 0),
  ];
}

function tiersOf(person: Comparable, narrow: readonly string[], model: MatchModel) {
  const ofFamily = (key: string): boolean => /^n[fF]:/.test(key);
  const ofGiven = (key: string): boolean => /^n[gG]:/.test(key);
  return [
    { keys: narrow.filter((key) => !ofFamily(key) && !ofGiven(key)), most: MOST_CANDIDATES },
    { keys: narrow.filter(ofFamily), most: MOST_CANDIDATES },
    { keys: narrow.filter(ofGiven), most: MOST_CANDIDATES },
    { keys: tellingNameKeys(person, model), most: MOST_WIDE },
  ];
}

export async function narrowKeys(
  members: TenantMembers,
  { person, identifierTexts }: TypedPerson,
): Promise<readonly string[]> {
  const telling = await tellingKeys(members, [
    ...person.identifiers.map(({ key }) => `i:${key}`),
    ...identifierTexts.map((text) => `v:${text}`),
    ...person.phones.map((phone) => `t:${phone}`),
    ...phoneEndKeys(person),
    ...person.emails.map((email) => `m:${email}`),
  ]);
  const day = person.birth.day === '' ? [] : [`d:${person.birth.day}`];
  return [...narrowNameKeys(person, true), ...day, ...telling];
}

/** Keys of each name alone; a common one is left out where the other tells more. */
function tellingNameKeys(person: Comparable, { rarity }: MatchModel): readonly string[] {
  const rare = (form: NameForm): NameForm => {
    const namesakes = rarity.countOf('given', form.whole) + rarity.countOf('family', form.whole);
    return namesakes > MOST_NAMESAKES ? { whole: '', parts: [] } : form;
  };
  const keys = wideNameKeys({ ...person, given: rare(person.given), family: rare(person.family) });
  return keys.length > 0 ? keys : wideNameKeys(person);
}

const NUMBER_KEYS = /^[itmvT]:/;

/** The keys without those numbers that too many share. */
async function tellingKeys(members: TenantMembers, keys: readonly string[]): Promise<readonly string[]> {
  const told = await Promise.all(
    keys.map(async (key) => !NUMBER_KEYS.test(key) || (await members.holders(key, MOST_HOLDERS + 1)) <= MOST_HOLDERS),
  );
  return keys.filter((_, at) => told[at]);
}

function rank(
  { thresholds }: SearchDeps,
  { person, identifierTexts }: TypedPerson,
  people: readonly Person[],
  model: MatchModel,
): readonly Graded<MemberSketch>[] {
  const weighing = amongThese(model, people);
  const scored = people.map(([member, candidate]): Candidate<MemberSketch> => {
    const alone = scoreOf(withWholePhones(person, candidate), candidate, weighing);
    const theirs = [member.member_id, ...member.identifiers.map(({ value }) => value)];
    return { member, person: candidate, score: withTypedIdentifier(alone, identifierTexts, theirs) };
  });
  return gradeOf(scored, { ...thresholds, possible: NO_FLOOR });
}

type Person = readonly [member: MemberSketch, person: Comparable];

const peopleOf = (found: readonly MemberSketch[]): readonly Person[] =>
  found.map((member) => [member, comparableOf(personOf(member))]);

/** Everybody who has an identifier that is looked for is among the candidates: its holders are counted here. */
function amongThese(model: MatchModel, people: readonly Person[]): MatchModel {
  const holders = new Map<string, number>();
  for (const [, { identifiers }] of people) {
    for (const { key } of identifiers) holders.set(key, (holders.get(key) ?? 0) + 1);
  }
  return { ...model, rarity: { ...model.rarity, holdersOf: (key) => holders.get(key) ?? 0 } };
}
