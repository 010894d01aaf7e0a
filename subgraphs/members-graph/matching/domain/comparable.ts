import {
  digitsOf,
  foldName,
  isNewbornName,
  isPlaceholderBirthDate,
  isPlaceholderName,
  isPlaceholderNumber,
  isPlaceholderSsn,
  squeezed,
} from './names.js';

/** A person as given: a member of the directory, or a record to match against it. */
export interface PersonRecord {
  readonly family?: string;
  readonly given?: readonly string[];
  readonly suffix?: string;
  /** Earlier family names. */
  readonly formerFamilies?: readonly string[];
  /** YYYY, YYYY-MM or YYYY-MM-DD. */
  readonly birthDate?: string;
  readonly sex?: string;

  readonly isOfMultipleBirth?: boolean;
  readonly addresses?: readonly PersonAddress[];
  readonly phones?: readonly string[];
  readonly emails?: readonly string[];
  readonly identifiers?: readonly PersonIdentifier[];
}

export interface PersonAddress {
  readonly lines?: readonly string[];
  readonly city?: string;
  readonly state?: string;
  readonly postalCode?: string;
}

export interface PersonIdentifier {
  readonly system: string;
  readonly value: string;
}

/** A person in comparable form: folded, without placeholders, '' or [] for unknown values. */
export interface Comparable {
  readonly given: NameForm;
  readonly family: NameForm;
  readonly formerFamilies: readonly NameForm[];
  readonly suffix: string;
  readonly birth: BirthForm;
  readonly sex: string;
  readonly addresses: readonly AddressForm[];
  readonly phones: readonly string[];
  readonly emails: readonly string[];
  readonly identifiers: readonly IdentifierForm[];
  /** "Baby Boy A": compared only with another such name. */
  readonly newborn: string;
  readonly isOfMultipleBirth: boolean;
}

export interface NameForm {
  /** The whole name, without blanks. */
  readonly whole: string;
  /** In the order given; a double surname has two. */
  readonly parts: readonly string[];
}

export interface BirthForm {
  /** YYYYMMDD for a complete date, else ''. */
  readonly day: string;
  readonly year: string;
  readonly monthDay: string;
  readonly month: string;
}

export interface AddressForm {
  readonly house: string;
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
}

export interface IdentifierForm {
  readonly kind: 'ssn' | 'other';
  /** System and value as one text. */
  readonly key: string;
  readonly system: string;
  readonly value: string;
}

/** Converts a person to the form that matching compares. */
export function comparableOf(record: PersonRecord): Comparable {
  const givenFolded = foldName((record.given ?? []).join(' '));
  const isNewborn = isNewbornName(givenFolded);
  return {
    given: isNewborn ? NO_NAME : nameForm(givenFolded),
    family: familyForm(record.family ?? ''),
    formerFamilies: (record.formerFamilies ?? []).map(familyForm).filter(({ whole }) => whole !== ''),
    suffix: SUFFIXES[squeezed(foldName(record.suffix ?? ''))] ?? '',
    birth: birthForm(record.birthDate ?? ''),
    sex: sexOf(record.sex ?? ''),
    addresses: (record.addresses ?? []).map(addressForm).filter(isAnyKnown),
    phones: unique((record.phones ?? []).map(phoneForm)),
    emails: unique(
      (record.emails ?? []).map((email) => email.trim().toLowerCase()).filter((text) => text.includes('@')),
    ),
    identifiers: (record.identifiers ?? []).flatMap(identifierForm),
    newborn: isNewborn ? squeezed(givenFolded) : '',
    isOfMultipleBirth: record.isOfMultipleBirth === true,
  };
}

const NO_NAME: NameForm = { whole: '', parts: [] };

function nameForm(folded: string): NameForm {
  const whole = squeezed(folded);
  if (whole === '' || isPlaceholderName(whole)) return NO_NAME;
  return { whole, parts: folded.split(' ') };
}

// A particle alone identifies no surname: "de la Cruz" has one distinguishing part.
const PARTICLES = new Set('de del della la las los le van von der den di da do dos du bin ibn al el st'.split(' '));

function familyForm(text: string): NameForm {
  const form = nameForm(foldName(text));
  const parts = form.parts.filter((part) => !PARTICLES.has(part));
  return parts.length === 0 ? form : { whole: form.whole, parts };
}

const SUFFIXES: Readonly<Record<string, string>> = {
  jr: 'jr',
  junior: 'jr',
  sr: 'sr',
  senior: 'sr',
  i: 'i',
  ii: 'ii',
  '2nd': 'ii',
  iii: 'iii',
  '3rd': 'iii',
  iv: 'iv',
  '4th': 'iv',
};

function birthForm(text: string): BirthForm {
  const [, year = '', month = '', day = ''] = /^(\d{4})(?:-?(\d{2})(?:-?(\d{2}))?)?/.exec(text.trim()) ?? [];
  if (year === '' || isPlaceholderBirthDate(`${year}-${month}-${day}`))
    return { day: '', year: '', month: '', monthDay: '' };
  const isWhole = day !== '';
  return { day: isWhole ? year + month + day : '', year, month, monthDay: isWhole ? month + day : '' };
}

const sexOf = (text: string): string => {
  const first = text.trim().toUpperCase().slice(0, 1);
  return first === 'M' || first === 'F' ? first : '';
};

function addressForm({ lines = [], city = '', state = '', postalCode = '' }: PersonAddress): AddressForm {
  const first = foldName(lines[0] ?? '');
  const [, house = '', rest = first] = /^(\d+[a-z]?)\b\s*(.*)$/.exec(first) ?? [];
  return {
    house,
    street: squeezed(rest),
    city: squeezed(foldName(city)),
    state: squeezed(foldName(state)),
    // ZIP+4: the first five digits name the place.
    postalCode: squeezed(foldName(postalCode)).replace(/^(\d{5})\d{4}$/, '$1'),
  };
}

const isAnyKnown = (form: AddressForm): boolean => Object.values(form).some((value) => value !== '');

/** The last ten digits: country codes and the trunk zero differ between systems. */
function phoneForm(text: string): string {
  const digits = digitsOf(text).slice(-10);
  return digits.length < 7 || isPlaceholderNumber(digits) ? '' : digits;
}

const SSN_SYSTEMS = /(?:^|[/:.-])(?:us-?ssn|ssn|ss|social-?security(?:-?number)?|2\.16\.840\.1\.113883\.4\.1)$/i;

function identifierForm({ system, value }: PersonIdentifier): readonly IdentifierForm[] {
  if (SSN_SYSTEMS.test(system.trim().replaceAll('_', '-'))) {
    const digits = digitsOf(value);
    return isPlaceholderSsn(digits) ? [] : [{ kind: 'ssn', key: `ssn/${digits}`, system: 'ssn', value: digits }];
  }
  const folded = squeezed(foldName(value));
  if (folded === '' || /^(.)\1*$/.test(folded) || isPlaceholderName(folded)) return [];
  const name = system.trim().toLowerCase();
  return [{ kind: 'other', key: `${name}/${folded}`, system: name, value: folded }];
}

const unique = (values: readonly string[]): readonly string[] => [...new Set(values)].filter((value) => value !== '');
