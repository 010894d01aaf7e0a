import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import {
  type Candidate,
  type Comparable,
  comparableOf,
  type Graded,
  gradeOf,
  lookupKeys,
  type MatchModel,
  type MatchThresholds,
  type NameForm,
  narrowNameKeys,
  type PersonRecord,
  scoreOf,
  wideNameKeys,
} from '../matching/domain/index.js';
import { type Demographics, personOf, phoneEndKeys, survivorOf } from '../members/domain/index.js';
import {
  type IdentityDeps,
  type LinkedMember,
  type MemberSketch,
  shownLinks,
  type TenantMembers,
} from '../members/index.js';
import { type TypedPerson, typedPerson, withTypedIdentifier, withWholePhones } from './domain.js';
import type { MatchModels } from './match-models.js';

export interface SearchDeps extends IdentityDeps {
  readonly models: Pick<MatchModels, 'of'>;
  readonly thresholds: MatchThresholds;
}

interface MemberSearch {
  readonly q: string;
  readonly parts: PersonRecord;
  readonly identifier: string;
  readonly limit: number;
}

/** Candidates compared in one search; far fewer members usually share a key. */
const MAX_CANDIDATES = 2_000;
/** Candidates found by a single name. */
const MAX_CANDIDATES_BY_ONE_NAME = 300;
/** A name of more members is not searched alone. */
const MAX_NAMESAKES = 200;
/** A number or e-mail address of more members belongs to an employer or a clinic and is not searched. */
const MAX_HOLDERS = 50;
/** A search ranks every member that shares a key; thresholds only grade them. */
const NO_FLOOR = -20;
/** Scores in bits that end a search: names agree, and the birth date where the user typed one. */
const GOOD_ENOUGH = { names: 12, withYear: 20 } as const;

/** Searches members by typed text, the likeliest first. @throws VALIDATION_ERROR for an empty search */
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
      errors: [fault('/q', 'empty', 'Enter a name, a date of birth, an identifier or a telephone number.')],
    });
  }
  const graded = await rankedTyped(deps, tenantId, typed, narrow);
  return survivorsOf(deps, tenantId, graded, limit);
}

/** Matches a record against the directory, the likeliest member first; omits members below POSSIBLE. */
export async function matchMember(
  deps: SearchDeps,
  context: RequestContext,
  record: PersonRecord,
  limit: number,
): Promise<readonly FoundMember[]> {
  const tenantId = authorise(context, 'members:read');
  return survivorsOf(deps, tenantId, await gradedMatches(deps, tenantId, record), limit);
}

/** Grades every member that a record may belong to, before merged records are combined. */
export async function gradedMatches(
  deps: SearchDeps,
  tenantId: TenantId,
  record: PersonRecord,
): Promise<readonly Graded<MemberSketch>[]> {
  const members = deps.members(tenantId);
  const person = comparableOf(record);
  const keys = await selectiveKeys(members, lookupKeys(person));
  const [model, found] = await Promise.all([deps.models.of(tenantId), members.findByKeys(keys, MAX_CANDIDATES)]);
  const people = peopleOf(found);
  const weighing = withHolders(model, people);
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
 * Searches by the most selective keys first: numbers and the birth date, then the family name with an initial, then the given
 * name with an initial, then each name alone. A good enough match ends the search.
 */
export async function rankedTyped(
  deps: SearchDeps,
  tenantId: TenantId,
  typed: TypedPerson,
  narrow: readonly string[],
): Promise<readonly Graded<MemberSketch>[]> {
  const members = deps.members(tenantId);
  const model = await deps.models.of(tenantId);
  const enough = typed.person.birth.year === '' ? GOOD_ENOUGH.names : GOOD_ENOUGH.withYear;
  const parts = partsOf(typed);
  const found = new Map<string, Person>();
  let ranked: readonly Graded<MemberSketch>[] = [];
  for (const { keys, most } of tiersOf(typed.person, narrow, model)) {
    const fresh = (await members.findByKeys(keys, most, parts)).filter(({ member_id }) => !found.has(member_id));
    for (const person of peopleOf(fresh)) found.set(person[0].member_id, person);
    if (fresh.length > 0) ranked = rank(deps, typed, [...found.values()], model);
    if ((ranked[0]?.score.weight ?? 0) >= enough) return ranked;
  }
  return ranked;
}

/** Returns the fields to read: a comparison needs only fields that the user typed. */
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
    { keys: narrow.filter((key) => !ofFamily(key) && !ofGiven(key)), most: MAX_CANDIDATES },
    { keys: narrow.filter(ofFamily), most: MAX_CANDIDATES },
    { keys: narrow.filter(ofGiven), most: MAX_CANDIDATES },
    { keys: selectiveNameKeys(person, model), most: MAX_CANDIDATES_BY_ONE_NAME },
  ];
}

export async function narrowKeys(
  members: TenantMembers,
  { person, identifierTexts }: TypedPerson,
): Promise<readonly string[]> {
  const numbers = await selectiveKeys(members, [
    ...person.identifiers.map(({ key }) => `i:${key}`),
    ...identifierTexts.map((text) => `v:${text}`),
    ...person.phones.map((phone) => `t:${phone}`),
    ...phoneEndKeys(person),
    ...person.emails.map((email) => `m:${email}`),
  ]);
  const day = person.birth.day === '' ? [] : [`d:${person.birth.day}`];
  return [...narrowNameKeys(person, true), ...day, ...numbers];
}

/** Returns keys of each name alone, without common names where the other name is rarer. */
function selectiveNameKeys(person: Comparable, { rarity }: MatchModel): readonly string[] {
  const rare = (form: NameForm): NameForm => {
    const namesakes = rarity.countOf('given', form.whole) + rarity.countOf('family', form.whole);
    return namesakes > MAX_NAMESAKES ? { whole: '', parts: [] } : form;
  };
  const keys = wideNameKeys({ ...person, given: rare(person.given), family: rare(person.family) });
  return keys.length > 0 ? keys : wideNameKeys(person);
}

const NUMBER_KEYS = /^[itmvT]:/;

/** Drops keys of numbers that too many members share. */
async function selectiveKeys(members: TenantMembers, keys: readonly string[]): Promise<readonly string[]> {
  const isSelective = await Promise.all(
    keys.map(
      async (key) => !NUMBER_KEYS.test(key) || (await members.countHolders(key, MAX_HOLDERS + 1)) <= MAX_HOLDERS,
    ),
  );
  return keys.filter((_, at) => isSelective[at]);
}

function rank(
  { thresholds }: SearchDeps,
  { person, identifierTexts }: TypedPerson,
  people: readonly Person[],
  model: MatchModel,
): readonly Graded<MemberSketch>[] {
  const weighing = withHolders(model, people);
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

/** Counts the holders of identifiers among the candidates: every holder of a searched identifier is a candidate. */
function withHolders(model: MatchModel, people: readonly Person[]): MatchModel {
  const holders = new Map<string, number>();
  for (const [, { identifiers }] of people) {
    for (const { key } of identifiers) holders.set(key, (holders.get(key) ?? 0) + 1);
  }
  return { ...model, rarity: { ...model.rarity, holdersOf: (key) => holders.get(key) ?? 0 } };
}

export interface FoundMember extends Omit<Graded<MemberSketch>, 'member'> {
  readonly found: LinkedMember;
  /** The record with the matching data: the member's, or one merged into it. */
  readonly matchedId: string;
}

/** Returns the first `limit` persons, each once; a merged record counts as its survivor. */
async function survivorsOf(
  deps: IdentityDeps,
  tenantId: TenantId,
  graded: readonly Graded<MemberSketch>[],
  limit: number,
): Promise<readonly FoundMember[]> {
  // Several records may be one person.
  const considered = graded.slice(0, limit * 2);
  const ids = considered.map(({ member }) => member.member_id);
  const members = deps.members(tenantId);
  const read = await members.many(ids.slice(0, limit));
  const links = await shownLinks(deps, tenantId, read, ids);
  const first = new Map<string, Graded<MemberSketch>>();
  for (const one of considered) {
    const survivor = survivorOf(links, one.member.member_id);
    if (!first.has(survivor)) first.set(survivor, one);
  }
  const shown = [...first].slice(0, limit);
  const records = new Map(read.map((member) => [member.member_id, member]));
  const missing = shown.map(([survivor]) => survivor).filter((survivor) => !records.has(survivor));
  for (const member of await members.many(missing)) records.set(member.member_id, member);
  await deps.merges(tenantId).requireShown([...records.values()], links);
  return shown.flatMap(
    ([
      survivor,
      {
        member: { member_id },
        ...rest
      },
    ]): FoundMember[] => {
      const member = records.get(survivor) ?? records.get(member_id);
      return member === undefined ? [] : [{ ...rest, found: { member, links }, matchedId: member_id }];
    },
  );
}
