import type { AddressForm, BirthForm, Comparable, IdentifierForm, NameForm } from './comparable.js';
import type { MATCH_LEVELS, MatchField, MatchLevel } from './match-fields.js';
import { areNicknames } from './names.js';
import { edits, jaroWinkler } from './similarity.js';

/** How alike two persons are in one field. A field that either person lacks has no comparison. */
export interface Comparison {
  readonly field: MatchField;
  readonly level: MatchLevel;
  /** The shared value, for fields where rarity counts. */
  readonly value?: string;
}

type LevelOf<F extends MatchField> = (typeof MATCH_LEVELS)[F][number];

/** Compares every field except names and addresses. */
export function compareRest(a: Comparable, b: Comparable): readonly Comparison[] {
  return [
    ...one(
      'suffix',
      both(a.suffix, b.suffix, (same) => (same ? 'EXACT' : 'DIFFERENT')),
    ),
    ...one('birth_date', compareBirth(a.birth, b.birth)),
    ...one(
      'sex',
      both(a.sex, b.sex, (same) => (same ? 'EXACT' : 'DIFFERENT')),
    ),
    ...one('phone', compareAny(a.phones, b.phones)),
    ...one('email', a.emails.length && b.emails.length ? (shared(a.emails, b.emails) ? 'EXACT' : 'DIFFERENT') : null),
    ...compareIdentifiers(a.identifiers, b.identifiers),
  ];
}

const one = <F extends MatchField>(field: F, level: LevelOf<F> | null): readonly Comparison[] =>
  level === null ? [] : [{ field, level }];

const both = <L>(a: string, b: string, level: (same: boolean) => L): L | null =>
  a === '' || b === '' ? null : level(a === b);

const shared = (a: readonly string[], b: readonly string[]): boolean => a.some((value) => b.includes(value));

/** Compares names in order and swapped; the score takes the better way. */
export function nameComparisons(a: Comparable, b: Comparable): readonly (readonly Comparison[])[] {
  const straight = [...given(a.given, b.given), ...family(a, b)];
  if (a.newborn !== '' && b.newborn !== '' && a.newborn !== b.newborn) {
    return [[{ field: 'given', level: 'DIFFERENT' }, ...family(a, b)]];
  }
  const isOneName = a.given.whole === '' || a.family.whole === '';
  if (!isOneName && a.given.whole + a.family.whole === b.given.whole + b.family.whole) {
    return [[exactly('given', b.given), exactly('family', b.family)]];
  }
  const swapped = [
    ...given(a.given, b.family),
    ...family({ ...a, formerFamilies: [] }, { ...b, family: b.given, formerFamilies: [] }),
  ];
  const swap: Comparison = { field: 'name_order', level: 'SWAPPED' };
  return swapped.length === 0 ? [straight] : [straight, [...swapped, swap]];
}

const exactly = (field: 'given' | 'family', { whole }: NameForm): Comparison => ({
  field,
  level: 'EXACT',
  value: whole,
});

function given(a: NameForm, b: NameForm): readonly Comparison[] {
  const level = compareName(a, b);
  if (level === null) return [];
  if (level === 'EXACT') return [exactly('given', b)];
  const [first = ''] = a.parts;
  const [other = ''] = b.parts;
  if (areNicknames(first, other)) return [{ field: 'given', level: 'NICKNAME' }];
  // "Mary Ann" and "Mary": a middle name is often missing or an initial. The first name decides.
  if (isLessOf(a.parts, b.parts)) return [{ field: 'given', level: 'EXACT', value: first }];
  return [{ field: 'given', level }];
}

/** True for the same first name and compatible further names: missing, or an initial. Mary Ann is not Mary Lou. */
const isLessOf = ([first, ...a]: readonly string[], [other, ...b]: readonly string[]): boolean =>
  first !== undefined &&
  first === other &&
  a.every((part, at) => {
    const facing = b[at];
    return (
      facing === undefined ||
      part === facing ||
      (part.length === 1 || facing.length === 1 ? part[0] === facing[0] : false)
    );
  });

function family(a: Comparable, b: Comparable): readonly Comparison[] {
  const level = compareName(a.family, b.family);
  if (level === null) return [];
  if (level === 'EXACT') return [exactly('family', b.family)];
  const former = (form: NameForm, others: readonly NameForm[]): boolean =>
    others.some((other) => other.whole === form.whole);
  if (former(a.family, b.formerFamilies) || former(b.family, a.formerFamilies))
    return [{ field: 'family', level: 'FORMER' }];
  return [{ field: 'family', level }];
}

type NameLevel = 'EXACT' | 'PART' | 'NEAR' | 'INITIAL' | 'LIKE' | 'DIFFERENT';

/** @returns null where either name is unknown. */
function compareName(a: NameForm, b: NameForm): NameLevel | null {
  if (a.whole === '' || b.whole === '') return null;
  if (a.whole === b.whole) return 'EXACT';
  const shorter = Math.min(a.whole.length, b.whole.length);
  if (shorter === 1) return a.whole[0] === b.whole[0] ? 'INITIAL' : 'DIFFERENT';
  const isParted = a.parts.length > 1 || b.parts.length > 1;
  const likeness = jaroWinkler(a.whole, b.whole);
  if (likeness >= 0.92) return 'NEAR';
  const distance = edits(a.whole, b.whole, 2);
  if (distance <= 1 && shorter > 2) return 'NEAR';
  if (isParted && a.parts.some((part) => part.length > 1 && b.parts.includes(part))) return 'PART';
  if (likeness >= 0.85 || (distance <= 2 && shorter > 4)) return 'LIKE';
  return 'DIFFERENT';
}

function compareBirth(a: BirthForm, b: BirthForm): LevelOf<'birth_date'> | null {
  if (a.year === '' || b.year === '') return null;
  if (a.day === '' || b.day === '') return comparePartialBirth(a, b);
  if (a.day === b.day) return 'EXACT';
  const differing = digitsApart(a.day, b.day);
  if (differing === 1) return 'ONE_DIGIT';
  const swapped = a.year + a.monthDay.slice(2) + a.monthDay.slice(0, 2);
  if (swapped === b.day) return 'DAY_MONTH_SWAPPED';
  const distance = edits(a.day, b.day, 2);
  if (distance === 1) return 'ONE_DIGIT';
  return differing === 2 || distance === 2 ? 'TWO_DIGITS' : 'DIFFERENT';
}

function comparePartialBirth(a: BirthForm, b: BirthForm): LevelOf<'birth_date'> {
  if (a.year !== b.year) return 'DIFFERENT';
  if (a.month === '' || b.month === '') return 'YEAR';
  return a.month === b.month ? 'MONTH' : 'TWO_DIGITS';
}

function digitsApart(a: string, b: string): number {
  let apart = 0;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) apart += 1;
  return apart;
}

/** Compares lists of numbers; the best pair counts. */
function compareAny(a: readonly string[], b: readonly string[]): 'EXACT' | 'ONE_DIGIT' | 'DIFFERENT' | null {
  if (a.length === 0 || b.length === 0) return null;
  if (shared(a, b)) return 'EXACT';
  return a.some((x) => b.some((y) => edits(x, y, 1) === 1)) ? 'ONE_DIGIT' : 'DIFFERENT';
}

/** Compares one pair of addresses; the score takes the best pair. */
export function compareAddress(a: AddressForm, b: AddressForm): readonly Comparison[] {
  return [
    ...one(
      'postal_code',
      both(a.postalCode, b.postalCode, () => nearCode(a.postalCode, b.postalCode)),
    ),
    ...one(
      'street',
      both(a.street, b.street, () => likeStreet(a.street, b.street)),
    ),
    ...one(
      'house_number',
      both(a.house, b.house, (same) => (same ? 'EXACT' : 'DIFFERENT')),
    ),
    ...one(
      'city',
      both(a.city, b.city, () => nearCity(a.city, b.city)),
    ),
  ];
}

const nearCode = (a: string, b: string): LevelOf<'postal_code'> =>
  a === b ? 'EXACT' : edits(a, b, 1) === 1 ? 'NEAR' : 'DIFFERENT';

function likeStreet(a: string, b: string): LevelOf<'street'> {
  const likeness = jaroWinkler(a, b);
  return likeness > 0.9 ? 'EXACT' : likeness > 0.8 ? 'LIKE' : 'DIFFERENT';
}

const nearCity = (a: string, b: string): LevelOf<'city'> =>
  a === b ? 'EXACT' : jaroWinkler(a, b) >= 0.88 ? 'NEAR' : 'DIFFERENT';

function compareIdentifiers(a: readonly IdentifierForm[], b: readonly IdentifierForm[]): readonly Comparison[] {
  const of = (all: readonly IdentifierForm[], kind: 'ssn' | 'other') => all.filter((each) => each.kind === kind);
  const ssn = compareAny(
    of(a, 'ssn').map(({ value }) => value),
    of(b, 'ssn').map(({ value }) => value),
  );
  const others = of(b, 'other');
  const same = of(a, 'other').find(({ key }) => others.some((other) => other.key === key));
  const systems = new Set(others.map(({ system }) => system));
  const isComparable = of(a, 'other').some(({ system }) => systems.has(system));
  const identifier: readonly Comparison[] = same
    ? [{ field: 'identifier', level: 'EXACT', value: same.key }]
    : one('identifier', isComparable ? 'DIFFERENT' : null);
  return [...one('ssn', ssn), ...identifier];
}
