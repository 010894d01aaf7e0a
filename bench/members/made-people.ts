import { createHash } from 'node:crypto';
import type { PersonRecord } from '../../subgraphs/members-graph/matching/domain/comparable.js';

// Generates people from a number: names from syllables, with short names far more common, as in reality.

const ONSETS = 'b br c ch d f g gr h j k l m n p r s sh st t th v w z'.split(' ');
const VOWELS = 'a e i o u ai ea ou'.split(' ');
const CODAS = ' n r s l m t ck nd rt'.split(' ');
const FIRST = (
  'james mary robert patricia john jennifer michael linda david elizabeth william barbara richard susan joseph jessica ' +
  'thomas karen charles sarah christopher lisa daniel nancy matthew betty anthony sandra mark margaret'
).split(' ');
const STREETS = 'elm oak main maple cedar pine lake hill park river'.split(' ');

/** Derives sixteen bytes from a number. */
const bytesOf = (n: number, what: string): Buffer => createHash('md5').update(`${what}${n}`).digest();

const of = <T>(from: readonly T[], byte: number | undefined): T => from[(byte ?? 0) % from.length] as T;

function syllables(bytes: Buffer, count: number): string {
  let word = '';
  for (let at = 0; at < count; at++)
    word += of(ONSETS, bytes[at * 3]) + of(VOWELS, bytes[at * 3 + 1]) + of(CODAS, bytes[at * 3 + 2]);
  return word;
}

/** Makes one of about a thousand common surnames, or one of very many rare ones. */
function surname(n: number): string {
  const bytes = bytesOf(n, 'surname');
  const isCommon = (bytes[15] ?? 0) < 100;
  return isCommon ? syllables(bytesOf((bytes[14] ?? 0) * 4, 'common'), 2) : syllables(bytes, 3);
}

export function madePerson(n: number): PersonRecord {
  const bytes = bytesOf(n, 'person');
  const number = (at: number): number => bytes.readUInt16BE(at);
  const isCommon = (bytes[15] ?? 0) < 180;
  const two = (value: number): string => String(value).padStart(2, '0');
  return {
    family: surname(n),
    given: [isCommon ? of(FIRST, bytes[0]) : syllables(bytes, 2)],
    birthDate: `${1930 + (number(2) % 90)}-${two(1 + (number(4) % 12))}-${two(1 + (number(6) % 28))}`,
    addresses: [
      {
        lines: [`${1 + (number(8) % 400)} ${of(STREETS, bytes[10])} street`],
        postalCode: String(10_000 + (number(11) % 3_000)),
      },
    ],
    identifiers: [{ system: 'urn:card', value: `C${n}` }],
    phones: [`2${String(100_000_000 + n)}`],
  };
}

/** Omits, doubles or swaps one letter. */
export function misspelt(word: string, n: number): string {
  const at = 1 + (n % Math.max(1, word.length - 2));
  if (n % 3 === 0) return word.slice(0, at) + word.slice(at + 1);
  if (n % 3 === 1) return word.slice(0, at) + (word[at] ?? '') + word.slice(at);
  return word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2);
}
