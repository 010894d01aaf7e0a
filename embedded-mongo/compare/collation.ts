import { integerOf } from '../bson/number.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import { words } from '../checked-access.js';
import { fail, MongoError } from '../errors.js';
import { compareText } from './compare.js';

/** Compares two strings of a language. */
export type TextOrder = (a: string, b: string) => number;

/** A collation other than `simple`. `simple` compares bytes and is `undefined` everywhere. */
export interface Collation {
  /** Collations with the same id compare identically. */
  readonly id: string;
  /** All settings, as listIndexes and listCollections show them. */
  readonly spec: BsonDoc;
  readonly compare: TextOrder;
  readonly locale: string;
  readonly numeric: boolean;
}

interface Settings {
  readonly locale: string;
  readonly strength: number;
  readonly caseLevel: boolean;
  readonly caseFirst: 'upper' | 'lower' | 'off';
  readonly numericOrdering: boolean;
  readonly alternate: 'non-ignorable' | 'shifted';
  readonly maxVariable: 'punct' | 'space';
  readonly normalization: boolean;
  readonly backwards: boolean;
}

const KNOWN = new Map<string, Collation | undefined>();
const KNOWN_LIMIT = 256;

/** Parses a collation document; `simple` returns undefined. Rejects by name what Intl.Collator cannot do. */
export function parseCollation(doc: BsonDoc): Collation | undefined {
  const settings = settingsOf(doc);
  if (!settings) return undefined;
  const id = JSON.stringify(settings);
  if (!KNOWN.has(id) && KNOWN.size < KNOWN_LIMIT) KNOWN.set(id, makeCollation(id, settings));
  return KNOWN.get(id) ?? makeCollation(id, settings);
}

function invalid(field: string, reason: string): MongoError {
  return new MongoError('BadValue', `Field '${field}' is invalid in a collation: ${reason}`);
}

function unsupported(what: string): MongoError {
  return new MongoError('BadValue', `collation with ${what} is not supported by this server`);
}

const FIELDS: ReadonlySet<string> = new Set(
  words(`
    locale strength caseLevel caseFirst numericOrdering alternate maxVariable normalization backwards version`),
);

function settingsOf(doc: BsonDoc): Settings | undefined {
  const unknown = doc.keys.find((key) => !FIELDS.has(key));
  if (unknown) fail(40_415, `BSON field 'collation.${unknown}' is an unknown field.`);
  const locale = doc.get('locale');
  if (typeof locale !== 'string') fail(40_414, "BSON field 'collation.locale' is a required field");
  if (locale === 'simple') {
    if (doc.size > 1) throw invalid('locale', "'simple' takes no other fields");
    return undefined;
  }
  // Canadian French compares accents from the end of the string; no other locale of ICU does.
  const backwardsByLocale = /^fr[-_]CA/i.test(locale);
  const settings: Settings = {
    locale,
    strength: strengthOf(doc.get('strength')),
    caseLevel: flag(doc, 'caseLevel', false),
    caseFirst: choice(doc, 'caseFirst', ['off', 'upper', 'lower']),
    numericOrdering: flag(doc, 'numericOrdering', false),
    alternate: choice(doc, 'alternate', ['non-ignorable', 'shifted']),
    maxVariable: choice(doc, 'maxVariable', ['punct', 'space']),
    normalization: flag(doc, 'normalization', false),
    backwards: flag(doc, 'backwards', backwardsByLocale),
  };
  refuseImpossible(settings, backwardsByLocale);
  return settings;
}

function refuseImpossible(settings: Settings, backwardsByLocale: boolean): void {
  const { strength, caseLevel, caseFirst, alternate, maxVariable, backwards, locale } = settings;
  if (backwards && strength === 1) throw invalid('backwards', 'it needs a strength above 1');
  if (caseFirst !== 'off' && strength < 3 && !caseLevel)
    throw invalid('caseFirst', 'it needs caseLevel or a strength above 2');
  if (backwards !== backwardsByLocale) throw unsupported(`backwards: ${backwards} for locale '${locale}'`);
  if (alternate === 'shifted' && strength > 3) throw unsupported(`strength ${strength} and alternate: 'shifted'`);
  if (alternate === 'shifted' && maxVariable === 'space') throw unsupported("maxVariable: 'space'");
  // The fourth level separates kana in Japanese, and changes nothing in other languages unless characters are shifted.
  if (strength > 3 && /^ja/i.test(locale)) throw unsupported(`strength ${strength} for locale '${locale}'`);
}

function strengthOf(value: BsonValue | undefined): number {
  if (value === undefined) return 3;
  const strength = integerOf(value);
  if (strength === undefined || strength < 1n || strength > 5n) throw invalid('strength', 'it must be 1, 2, 3, 4 or 5');
  return Number(strength);
}

function flag(doc: BsonDoc, name: string, standard: boolean): boolean {
  const value = doc.get(name) ?? standard;
  if (typeof value === 'boolean') return value;
  fail('TypeMismatch', `BSON field 'collation.${name}' must be a boolean`);
}

function choice<V extends string>(doc: BsonDoc, name: string, options: readonly [V, ...V[]]): V {
  const value = doc.get(name);
  if (value === undefined) return options[0];
  const found = options.find((option) => option === value);
  if (found === undefined) throw invalid(name, `it must be one of ${options.join(', ')}`);
  return found;
}

/** ICU's names of collation types (`de@collation=phonebook`) as BCP 47 has them. */
const SHORT_TYPES: Readonly<Record<string, string>> = {
  phonebook: 'phonebk',
  traditional: 'trad',
  dictionary: 'dict',
  gb2312han: 'gb2312',
};

function languageTag(locale: string): string {
  const [name = '', type] = locale.split('@collation=');
  const tag = name.replaceAll('_', '-');
  if (type === undefined) return tag;
  return `${tag}-u-co-${SHORT_TYPES[type] ?? type}`;
}

function isKnownLocale(tag: string, typed: boolean): boolean {
  try {
    if (Intl.Collator.supportedLocalesOf([tag]).length !== 1) return false;
    return !typed || tag.endsWith(`-co-${new Intl.Collator(tag).resolvedOptions().collation}`);
  } catch {
    // A RangeError: not even the form of a language tag.
    return false;
  }
}

function makeCollation(id: string, settings: Settings): Collation {
  const tag = languageTag(settings.locale);
  if (settings.locale.includes('-') || !isKnownLocale(tag, settings.locale.includes('@')))
    throw invalid('locale', `'${settings.locale}' is not a known locale`);
  return {
    id,
    spec: BsonDoc.of({ ...settings, version: process.versions['icu'] ?? 'unknown' }),
    compare: orderOf(tag, settings),
    locale: settings.locale,
    numeric: settings.numericOrdering,
  };
}

/**
 * The levels of the Unicode Collation Algorithm: letters, accents, case if it is a separate level, variants, and for
 * strength 5 the code points of the decomposed text.
 */
function orderOf(tag: string, settings: Settings): TextOrder {
  const collator = (sensitivity: 'base' | 'accent' | 'case' | 'variant'): TextOrder =>
    new Intl.Collator(tag, {
      sensitivity,
      numeric: settings.numericOrdering,
      caseFirst: settings.caseFirst === 'off' ? 'false' : settings.caseFirst,
      ignorePunctuation: settings.alternate === 'shifted',
    }).compare;
  const { strength, caseLevel } = settings;
  if (strength === 1) return collator(caseLevel ? 'case' : 'base');
  const levels = [collator('accent')];
  if (caseLevel) levels.push(collator('case'));
  if (strength === 2 && levels.length === 1) return collator('accent');
  if (strength > 2) levels.push(collator('variant'));
  if (strength === 5) levels.push((a, b) => compareText(a.normalize('NFD'), b.normalize('NFD')));
  if (strength < 5 && !caseLevel) return collator('variant');
  return (a, b) => {
    for (const level of levels) {
      const order = level(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
}
