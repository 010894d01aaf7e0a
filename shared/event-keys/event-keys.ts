import { type FieldFault, fault } from '../errors/problem.js';
import type { JsonObject } from '../json/strict-json.js';
import {
  claimIdsOf,
  diagnosesOf,
  dottedDiagnosis,
  type ListedCode,
  npisOf,
  payloadOf,
  proceduresOf,
  reasonNumber,
  reasonsOf,
  textOf,
} from './payload-codes.js';

// What an event says, as exact keys: `carc:50`, `npi:1234567893`, `program:medicare`. The list of events, the graph and
// the search language filter by these keys. A key is compared as a whole, so `carc:50` never matches `M54.50`.

/** An exact key: a name, a colon and a normalised value. */
export type EventKey = string;

/** Index entries stay small; a longer value has no key. */
const MAX_VALUE_LENGTH = 256;
/** Keys of one event; guards against oversized payloads. */
const MAX_KEYS = 400;

const SYSTEMS = [
  'carc',
  'rarc',
  'ncpdp',
  'icd10cm',
  'icd10pcs',
  'icd9cm',
  'cpt',
  'hcpcs',
  'ndc',
  'loinc',
  'revenue',
  'snomed',
  'other',
] as const;

/** Names of code systems as a filter may write them, and the system of each. */
const CODE_SYSTEMS: ReadonlyMap<string, string> = new Map([
  ...SYSTEMS.map((name) => [name, name] as const),
  ['icd10', 'icd10cm'],
  ['icd9', 'icd9cm'],
]);
export const CODE_SYSTEM_NAMES: readonly string[] = [...CODE_SYSTEMS.keys()];

/** Filters of the list of events by what an event says. */
export interface KeyFilters {
  readonly claim?: string | undefined;
  readonly provider?: string | undefined;
  readonly code?: string | undefined;
  readonly jurisdiction?: string | undefined;
  readonly program?: string | undefined;
}
const KEY_FILTERS = ['claim', 'provider', 'code', 'jurisdiction', 'program'] as const;

const folded = (value: string): string => value.trim().toLowerCase();
export const keyOf = (name: string, value: string): EventKey => `${name}:${value}`;

/** Codes that mean the same have one form. */
const CODE_FORMS: Readonly<Record<string, (code: string) => string>> = {
  carc: reasonNumber,
  icd10cm: dottedDiagnosis,
  ndc: elevenDigits,
};

/** NDC of ten digits in three parts become 5-4-2, without dashes. */
function elevenDigits(code: string): string {
  const [labeler, product, pack] = code.split('-');
  if (labeler === undefined || product === undefined || pack === undefined) return code;
  return `${labeler.padStart(5, '0')}${product.padStart(4, '0')}${pack.padStart(2, '0')}`;
}

function codeKey({ system, code }: ListedCode): EventKey {
  const name = system.toLowerCase();
  const upper = code.trim().toUpperCase();
  return keyOf(name, CODE_FORMS[name]?.(upper) ?? upper);
}

export const claimKey = (claimId: string): EventKey => keyOf('claim', claimId.trim());
export const familyKey = (family: string): EventKey => keyOf('family', folded(family));
export const outcomeKey = (outcome: string): EventKey => keyOf('outcome', folded(outcome));
export const memberKey = (memberId: string): EventKey => keyOf('member', memberId);

/** Returns the values of one name among an event's keys. */
export const valuesOfKeys = (keys: readonly EventKey[], name: string): readonly string[] =>
  keys.flatMap((key) => (key.startsWith(`${name}:`) ? [key.slice(name.length + 1)] : []));

/**
 * Returns the exact keys of an event.
 *
 * @param record the members of its record, without hidden values
 */
export function eventKeysOf(record: JsonObject): readonly EventKey[] {
  const payload = payloadOf(record);
  const own = (name: string, key: (value: string) => EventKey): readonly EventKey[] => {
    const value = textOf(record[name]);
    return value === undefined ? [] : [key(value)];
  };
  const said = (name: string): readonly EventKey[] => {
    const value = textOf(payload[name]);
    return value === undefined ? [] : [keyOf(name, folded(value))];
  };
  const keys = [
    ...own('member_id', memberKey),
    ...own('event_family', familyKey),
    ...own('outcome', outcomeKey),
    ...said('program'),
    ...said('jurisdiction'),
    ...claimIdsOf(payload).map(claimKey),
    ...npisOf(payload).map((npi) => keyOf('npi', npi)),
    ...[...reasonsOf(payload), ...proceduresOf(payload), ...diagnosesOf(payload)].map(codeKey),
  ];
  const short = keys.filter((key) => key.length <= MAX_VALUE_LENGTH + 16);
  return [...new Set(short)].slice(0, MAX_KEYS);
}

/** A reason why a value is no filter. */
interface KeyFault {
  readonly code: string;
  readonly message: string;
}
type Parsed = EventKey | KeyFault;

const refuse = (code: string, message: string): KeyFault => ({ code, message });
export const isKeyFault = (parsed: Parsed): parsed is KeyFault => typeof parsed !== 'string';

function parseCode(text: string): Parsed {
  const [name = '', ...rest] = text.split(':');
  const system = CODE_SYSTEMS.get(folded(name));
  if (rest.length === 0 || system === undefined) {
    return refuse('code_system', `Must be SYSTEM:CODE with a system among ${CODE_SYSTEM_NAMES.join(', ')}.`);
  }
  const code = rest.join(':').trim();
  if (code === '') return refuse('empty', `Must have a code after ${system}:, for example carc:50.`);
  return codeKey({ system, code });
}

const EMPTY = refuse('empty', 'Must not be empty.');

function parseProvider(text: string): Parsed {
  const npi = /^npi:\s*(\d{10})\s*$/i.exec(text)?.[1];
  if (npi !== undefined && hasCheckDigit(npi)) return keyOf('npi', npi);
  return refuse('npi', 'Must be npi: and an NPI: ten digits with a valid check digit, for example npi:1234567893.');
}

/** The Luhn digit of an NPI counts the prefix 80840 of US health identifiers (45 CFR 162.406). */
function hasCheckDigit(npi: string): boolean {
  const digits = [...`80840${npi}`].reverse().map(Number);
  const sum = digits.reduce((total, digit, i) => {
    const doubled = i % 2 === 0 ? digit : digit * 2;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

const PARSERS: Readonly<Record<(typeof KEY_FILTERS)[number], (text: string) => Parsed>> = {
  claim: (text) => (text.trim() === '' ? EMPTY : claimKey(text)),
  provider: parseProvider,
  code: parseCode,
  jurisdiction: (text) => (text.trim() === '' ? EMPTY : keyOf('jurisdiction', folded(text))),
  program: (text) => (text.trim() === '' ? EMPTY : keyOf('program', folded(text))),
};

/** Parses the value of one filter. */
export const parseKeyFilter = (name: (typeof KEY_FILTERS)[number], text: string): Parsed => PARSERS[name](text);

/** Returns the beginning of the keys of a code system, such as `icd10cm:` for `icd10`; undefined for an unknown one. */
export function codeSystemPrefix(name: string): string | undefined {
  const system = CODE_SYSTEMS.get(folded(name));
  return system === undefined ? undefined : keyOf(system, '');
}

/** The beginnings of the keys of all code systems. */
export const CODE_PREFIXES: readonly string[] = SYSTEMS.map((name) => keyOf(name, ''));

/**
 * Returns the keys that filters ask for, the narrowest kind first.
 *
 * @param faults receives a fault with the name of each wrong filter
 */
export function keysOfFilters(filters: KeyFilters, faults: FieldFault[]): readonly EventKey[] {
  return KEY_FILTERS.flatMap((name) => {
    const text = filters[name];
    if (text === undefined) return [];
    const parsed = PARSERS[name](text);
    if (!isKeyFault(parsed)) return [parsed];
    faults.push(fault(`/${name}`, parsed.code, parsed.message));
    return [];
  });
}

/** Names of filters in the search language that ask for a key; code systems are names too. */
const QUERY_KEY_NAMES: readonly string[] = ['npi', 'claim', 'jurisdiction', 'program', ...CODE_SYSTEM_NAMES];

/** Parses one filter of the search language. @param name one of QUERY_KEY_NAMES */
export function keyOfQueryFilter(name: string, value: string): Parsed {
  if (name === 'npi') return parseProvider(`npi:${value}`);
  if (name === 'claim' || name === 'jurisdiction' || name === 'program') return PARSERS[name](value);
  return parseCode(`${name}:${value}`);
}

/** Filters of the search language by a member of the event, and the name of the member. */
export const QUERY_MEMBER_FILTERS = {
  outcome: 'outcome',
  family: 'event_family',
  type: 'event_type',
  member: 'member_id',
  source: 'source_system',
} as const;

/** Names that a query may write before a colon. */
export const QUERY_FILTER_NAMES: ReadonlySet<string> = new Set([
  ...QUERY_KEY_NAMES,
  ...Object.keys(QUERY_MEMBER_FILTERS),
]);
