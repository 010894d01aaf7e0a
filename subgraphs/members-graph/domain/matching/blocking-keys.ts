import type { Comparable, NameForm } from './comparable.js';
import { formalNames } from './nicknames.js';
import { nysiis } from './nysiis.js';

// Keys that members are found by: two records of one person share at least one of them, strangers seldom do. Each needs two
// things of a person at most, since any one may be missing or wrong.

/** Keys that a member is stored under. */
export const blockingKeys = (person: Comparable): readonly string[] => [
  ...new Set([
    ...identityKeys(person),
    ...families(person).flatMap((family) => nameKeys(person, person.given, family)),
  ]),
];

/** Keys that a record is looked for by: those of its swapped names as well. */
export const lookupKeys = (person: Comparable): readonly string[] => [
  ...new Set([
    ...identityKeys(person),
    ...families(person).flatMap((family) => [
      ...nameKeys(person, person.given, family),
      ...nameKeys(person, family, person.given),
    ]),
  ]),
];

/** Each name of a double surname on its own, and names borne earlier. */
function families({ family, formerFamilies }: Comparable): readonly NameForm[] {
  const parts = family.parts.length > 1 ? family.parts.map((part) => ({ whole: part, parts: [part] })) : [];
  return [family, ...parts, ...formerFamilies];
}

function identityKeys({ identifiers, birth, addresses, phones, emails }: Comparable): readonly string[] {
  return [
    ...identifiers.map(({ key }) => `i:${key}`),
    ...phones.map((phone) => `t:${phone}`),
    ...emails.map((email) => `m:${email}`),
    ...(birth.day === '' ? [] : [`d:${birth.day}`]),
    ...addresses.flatMap(({ house, street, postalCode }) => {
      const beginning = street.slice(0, 4);
      return [
        ...joined('h', house, beginning),
        ...joined('p', beginning, postalCode),
        ...joined('py', birth.year, postalCode),
        ...joined('pd', birth.monthDay, postalCode),
      ];
    }),
  ];
}

function nameKeys({ birth, addresses }: Comparable, given: NameForm, family: NameForm): readonly string[] {
  // Bob is looked for where Robert is: each formal name that a given name may stand for has its keys.
  const [first = given.whole] = given.parts;
  const givenCodes = new Set([nysiis(given.whole), ...formalNames(first).map(nysiis)]);
  const familyCode = nysiis(family.whole);
  const postalCodes = addresses.map(({ postalCode }) => postalCode);
  const initials = new Set([given.whole.slice(0, 1), ...formalNames(first).map((name) => name.slice(0, 1))]);
  return [
    ...[...initials].flatMap((initial) => joined('fi', familyCode, initial)),
    ...joined('fy', familyCode, birth.year),
    ...joined('fd', familyCode, birth.monthDay),
    ...postalCodes.flatMap((code) => joined('fp', familyCode, code)),
    ...[...givenCodes].flatMap((code) => [
      ...joined('gi', code, family.whole.slice(0, 1)),
      ...joined('gy', code, birth.year),
      ...joined('gd', code, birth.monthDay),
      ...postalCodes.flatMap((postalCode) => joined('gp', code, postalCode)),
    ]),
  ];
}

const joined = (kind: string, a: string, b: string): readonly string[] =>
  a === '' || b === '' ? [] : [`${kind}:${a}|${b}`];
