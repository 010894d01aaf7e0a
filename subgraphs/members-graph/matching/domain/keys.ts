import type { Comparable, NameForm } from './comparable.js';
import { formalNames, nysiis } from './names.js';

// Blocking keys. Two records of one person share at least one key; strangers seldom do. A key combines at most two values,
// because any value may be missing or wrong.

/** Returns the keys that a member is indexed by. */
export const blockingKeys = (person: Comparable): readonly string[] => [
  ...new Set([
    ...identityKeys(person),
    ...families(person).flatMap((family) => nameKeys(person, person.given, family)),
  ]),
];

/** Returns the keys that a search for a record reads, including those of its swapped names. */
export const lookupKeys = (person: Comparable): readonly string[] => [
  ...new Set([
    ...identityKeys(person),
    ...families(person).flatMap((family) => [
      ...nameKeys(person, person.given, family),
      ...nameKeys(person, family, person.given),
    ]),
  ]),
];

/** The family name, each part of a double surname, and former family names. */
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
  // Each formal name of a nickname has its keys, so that a search for Bob finds Robert.
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

// Keys for typed text. A name is indexed by itself and by itself less any one letter (SymSpell's deletions), so that a name
// with one typing error still shares a key.

/** Returns keys of one name and the initial of the other: few members share one. */
export function narrowNameKeys({ given, family }: Comparable, bothWays: boolean): readonly string[] {
  const ways = bothWays
    ? [
        [given.whole, family.whole],
        [family.whole, given.whole],
      ]
    : [[given.whole, family.whole]];
  const keys = new Set<string>();
  for (const [first = '', last = ''] of ways) {
    if (first === '' || last === '') continue;
    for (const form of deletions(last)) keys.add(`nf:${form}|${first[0]}`);
    for (const form of deletions(first)) keys.add(`ng:${form}|${last[0]}`);
    keys.add(`nF:${nysiis(last)}|${first[0]}`).add(`nG:${nysiis(first)}|${last[0]}`);
  }
  return [...keys];
}

/** Returns keys of each name alone, for records where the other name is missing or different. */
export function wideNameKeys({ given, family }: Comparable): readonly string[] {
  const keys = new Set<string>();
  for (const name of new Set([given.whole, family.whole, ...given.parts, ...family.parts])) {
    if (name.length < 2) continue;
    for (const form of deletions(name)) keys.add(`w:${form}`);
    keys.add(`W:${nysiis(name)}`);
  }
  return [...keys];
}

/** The name, and the name less each one letter. Names of three letters or fewer have too many neighbours. */
function deletions(name: string): Set<string> {
  const forms = new Set([name]);
  if (name.length < 4) return forms;
  for (let index = 0; index < name.length; index++) forms.add(name.slice(0, index) + name.slice(index + 1));
  return forms;
}
