import {
  blockingKeys,
  type Comparable,
  comparableOf,
  digitsOf,
  foldName,
  narrowNameKeys,
  type PersonRecord,
  squeezed,
  wideNameKeys,
} from '../../matching/domain/index.js';
import type { Demographics } from './member.js';

/** Converts a member to a person for matching. */
export const personOf = (member: Demographics): PersonRecord => ({
  ...(member.name.family === null ? {} : { family: member.name.family }),
  given: member.name.given,
  ...(member.name.suffix === null ? {} : { suffix: member.name.suffix }),
  formerFamilies: member.former_families,
  ...(member.birth_date === null ? {} : { birthDate: member.birth_date }),
  ...(member.sex === null ? {} : { sex: member.sex }),
  ...(member.multiple_birth === null ? {} : { isOfMultipleBirth: member.multiple_birth }),
  addresses: member.addresses,
  phones: member.phones,
  emails: member.emails,
  identifiers: member.identifiers,
});

/** Returns every key that a member is indexed by: those of matching and those of typed text. */
export function storedKeys(member: Demographics & { readonly member_id: string }): readonly string[] {
  const person = comparableOf(personOf(member));
  return [
    ...new Set([
      ...blockingKeys(person),
      ...narrowNameKeys(person, false),
      ...wideNameKeys(person),
      ...[member.member_id, ...member.identifiers.map(({ value }) => value)].flatMap(identifierTextKeys),
      ...phoneEndKeys(person),
    ]),
  ];
}

/** Returns keys of an identifier without its system, as users type it. */
function identifierTextKeys(text: string): readonly string[] {
  const folded = squeezed(foldName(text));
  return folded === '' ? [] : [`v:${folded}`];
}

/** Returns keys of phone numbers without area code, as users type them. */
export const phoneEndKeys = ({ phones }: Pick<Comparable, 'phones'>): readonly string[] =>
  phones.map((phone) => `T:${digitsOf(phone).slice(-7)}`);
