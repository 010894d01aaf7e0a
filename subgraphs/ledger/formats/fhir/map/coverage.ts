import { byCode } from '../../values/codes.js';
import { compact } from '../../values/payload.js';
import { type Fields, fieldsAt, listAt, textAt } from '../json/objects.js';
import { codeOf, codingsOf, describeIdentifier, wordsOf } from './codes.js';

/**
 * Words of a coverage to program; the first match wins. The agency's name contains two programs, so it counts for
 * neither.
 */
const PROGRAM_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bmedicaid\b|\bmedi-?cal\b|\bchip\b/i, 'Medicaid'],
  [/\bmedicare\b|\bpart [abcd]\b/i, 'Medicare'],
  [/\btricare\b|\bchampus\b/i, 'TRICARE'],
  [/\bveterans?\b|\bchampva\b/i, 'VA'],
  [/\bwork(?:er|men)'?s'? comp/i, 'WorkersComp'],
  [
    /\b(?:commercial|employe[er]|ppo|hmo|pos|epo|blue cross|bcbs|aetna|anthem|cigna|humana|united ?health)/i,
    'Commercial',
  ],
];

/** Codes of a coverage's type: claim filing indicators, HL7 ActCode, and payment source typology by first digits. */
const PROGRAM_CODES = byCode({
  Medicare: 'MA MB 16',
  Medicaid: 'MC SUBSIDIZ',
  TRICARE: 'CH',
  VA: 'VA',
  WorkersComp: 'WC WCBPOL',
  Commercial: 'CI BL HM FI EHCPOL HMO PPO POS',
});
const PAYMENT_SOURCES: readonly (readonly [RegExp, string])[] = [
  [/^1/, 'Medicare'],
  [/^2/, 'Medicaid'],
  [/^311/, 'TRICARE'],
  [/^32/, 'VA'],
  [/^[56]/, 'Commercial'],
  [/^95/, 'WorkersComp'],
];

const AGENCY = /centers for medicare (?:&|and) medicaid services/i;

/** Sets program, coverage and payer of a claim, a response or an explanation. */
export function describeCoverage(resource: Fields, coverage: Fields | null, payload: Record<string, unknown>): void {
  const insurance = listAt(resource, 'insurance');
  const focal = insurance.find((one) => one['focal'] === true) ?? insurance[0];
  const { program, code } = programOf(resource, coverage, textAt(focal, 'coverage', 'display'));
  payload['program'] = program;
  payload['program_code'] = code;
  if (coverage === null) return;
  const classes = listAt(coverage, 'class');
  const valueOfClass = (type: string): string =>
    textAt(
      classes.find((one) => codeOf(fieldsAt(one, 'type')) === type),
      'value',
    );
  payload['coverage'] = compact({
    subscriber_id: textAt(coverage, 'subscriberId'),
    dependent: textAt(coverage, 'dependent'),
    relationship: codeOf(fieldsAt(coverage, 'relationship')),
    group_number: valueOfClass('group'),
    plan_id: valueOfClass('plan'),
    type: codeOf(fieldsAt(coverage, 'type')) || wordsOf(fieldsAt(coverage, 'type')),
    identifiers: listAt(coverage, 'identifier')
      .map(describeIdentifier)
      .filter((one) => 'value' in one),
  });
}

/** Decides by the coverage's type, else its classes, payer and name, else the resource's type. */
function programOf(resource: Fields, coverage: Fields | null, shown: string): { program: string; code: string } {
  const type = fieldsAt(coverage, 'type');
  for (const { code, system } of codingsOf(type)) {
    const known = PROGRAM_CODES.get(code.toUpperCase());
    if (known !== undefined) return { program: known, code };
    const source = /nahdo|sopt/i.test(system) ? PAYMENT_SOURCES.find(([pattern]) => pattern.test(code)) : undefined;
    if (source !== undefined) return { program: source[1], code };
  }
  const classWords = listAt(coverage, 'class').map((one) => `${textAt(one, 'value')} ${textAt(one, 'name')}`);
  const payers = listAt(coverage, 'payor').map((one) => textAt(one, 'display'));
  const own = listAt(resource, 'type', 'coding').map((one) => textAt(one, 'display'));
  for (const words of [allWords(type), classWords.join(' '), payers.join(' '), shown, own.join(' ')]) {
    const named =
      words === '' || AGENCY.test(words) ? undefined : PROGRAM_WORDS.find(([pattern]) => pattern.test(words));
    if (named !== undefined) return { program: named[1], code: codeOf(type) };
  }
  const said = allWords(type) !== '' || shown !== '';
  return { program: said ? 'Other' : '', code: codeOf(type) };
}

const allWords = (concept: Fields): string =>
  [textAt(concept, 'text'), ...listAt(concept, 'coding').map((one) => textAt(one, 'display'))].join(' ').trim();
