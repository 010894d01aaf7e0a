import { blockingKeys } from '../matching/blocking-keys.js';
import { type Comparable, comparableOf } from '../matching/comparable.js';
import { digitsOf, foldName, squeezed } from '../matching/fold.js';
import type { PersonRecord } from '../matching/person-record.js';
import { narrowNameKeys, wideNameKeys } from '../matching/typed-keys.js';
import type { Demographics } from './member.js';

/** A member as the matching sees a person. */
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

/** Every key that a member stands under: those of matching, and those of what people type. */
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

/** Identifiers are typed without their system. */
export function identifierTextKeys(text: string): readonly string[] {
  const folded = squeezed(foldName(text));
  return folded === '' ? [] : [`v:${folded}`];
}

/** Numbers are typed without their area code. */
export const phoneEndKeys = ({ phones }: Pick<Comparable, 'phones'>): readonly string[] =>
  phones.map((phone) => `T:${digitsOf(phone).slice(-7)}`);
