import { compact } from '../x12/compact.js';
import { codeOf, codingsOf, describeIdentifier, wordsOf } from './codes.js';
import { type Fields, fieldsAt, listAt, textAt } from './json.js';

/** Words of a coverage to program; the first that fits. The agency's own name holds two programs, so it says none. */
const programWords: readonly (readonly [RegExp, string])[] = [
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

/** Codes of a coverage's type: claim filing indicators, HL7 ActCode, and the typology of payment sources by its first digits. */
const programCodes: Readonly<Record<string, string>> = {
  MA: 'Medicare',
  MB: 'Medicare',
  '16': 'Medicare',
  MC: 'Medicaid',
  SUBSIDIZ: 'Medicaid',
  CH: 'TRICARE',
  VA: 'VA',
  WC: 'WorkersComp',
  WCBPOL: 'WorkersComp',
  CI: 'Commercial',
  BL: 'Commercial',
  HM: 'Commercial',
  FI: 'Commercial',
  EHCPOL: 'Commercial',
  HMO: 'Commercial',
  PPO: 'Commercial',
  POS: 'Commercial',
};
const paymentSources: readonly (readonly [RegExp, string])[] = [
  [/^1/, 'Medicare'],
  [/^2/, 'Medicaid'],
  [/^311/, 'TRICARE'],
  [/^32/, 'VA'],
  [/^[56]/, 'Commercial'],
  [/^95/, 'WorkersComp'],
];

const agency = /centers for medicare (?:&|and) medicaid services/i;

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

/** By the coverage's type, else its classes, payer and name, else the resource's own type. */
function programOf(resource: Fields, coverage: Fields | null, shown: string): { program: string; code: string } {
  const type = fieldsAt(coverage, 'type');
  for (const { code, system } of codingsOf(type)) {
    const known = Object.hasOwn(programCodes, code.toUpperCase()) ? programCodes[code.toUpperCase()] : undefined;
    if (known !== undefined) return { program: known, code };
    const source = /nahdo|sopt/i.test(system) ? paymentSources.find(([pattern]) => pattern.test(code)) : undefined;
    if (source !== undefined) return { program: source[1], code };
  }
  const classWords = listAt(coverage, 'class').map((one) => `${textAt(one, 'value')} ${textAt(one, 'name')}`);
  const payers = listAt(coverage, 'payor').map((one) => textAt(one, 'display'));
  const own = listAt(resource, 'type', 'coding').map((one) => textAt(one, 'display'));
  for (const words of [allWords(type), classWords.join(' '), payers.join(' '), shown, own.join(' ')]) {
    const named =
      words === '' || agency.test(words) ? undefined : programWords.find(([pattern]) => pattern.test(words));
    if (named !== undefined) return { program: named[1], code: codeOf(type) };
  }
  const said = allWords(type) !== '' || shown !== '';
  return { program: said ? 'Other' : '', code: codeOf(type) };
}

const allWords = (concept: Fields): string =>
  [textAt(concept, 'text'), ...listAt(concept, 'coding').map((one) => textAt(one, 'display'))].join(' ').trim();
