import { byCode } from '../../values/codes.js';
import { compact, filled, unique } from '../../values/payload.js';
import type { Segment } from '../message/segment.js';
import { describeFields, fieldsOf } from './fields.js';
import { describeName } from './identity.js';

/** Words of a plan's type or name to program; senders put free text into IN1-15, IN1-4 and IN1-2. */
const PROGRAM_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bmedicaid\b|\bmedi-?cal\b|\bmcaid\b/i, 'Medicaid'],
  [/\bmedicare\b|\bmcare\b/i, 'Medicare'],
  [/\btricare\b|\bchampus\b/i, 'TRICARE'],
  [/\bveterans?\b|\bchampva\b/i, 'VA'],
  [/\bwork(?:er|men)'?s'? comp/i, 'WorkersComp'],
];

/** Codes of IN1-15: X12's claim filing indicators and table 0086. */
const PROGRAM_CODES = byCode({
  Medicare: 'MA MB MCR',
  Medicaid: 'MC MCD',
  TRICARE: 'CH',
  VA: 'VA',
  WorkersComp: 'WC',
  Commercial: 'CI BL HM HMO PPO POS EPO',
});

const PAYER = fieldsOf('name=4 id=3 state=5a');
const COVERAGE = fieldsOf(
  'plan_id=2 plan_name=2.2t plan_type=15 group_number=8 policy_number=36 insured_id=49 relationship=17',
);

/** The first insurance of a patient: program, payer, coverage and authorization numbers. */
export function describeCoverage(segments: readonly Segment[], payload: Record<string, unknown>): void {
  const insurance = segments.find(({ id }) => id === 'IN1');
  if (insurance !== undefined) {
    const { program, code } = programOf(insurance);
    if (program !== '') payload['program'] = program;
    if (code !== '') payload['program_code'] = code;
    payload['payer'] = describeFields(insurance, PAYER);
    payload['coverage'] = describeFields(insurance, COVERAGE);
    payload['subscriber'] = describeName(insurance, 16);
  }
  describeAuthorizations(segments, payload);
}

/** Decides by the plan type's code, else by the names of type, company and plan. */
function programOf(insurance: Segment): { program: string; code: string } {
  const type = insurance.value(15);
  const words = [type, insurance.text(15, 2), insurance.text(4), insurance.value(2), insurance.text(2, 2)]
    .join(' ')
    .trim();
  // A plan named Medicare is Medicare, even if its type is HMO.
  const named = PROGRAM_WORDS.find(([pattern]) => pattern.test(words));
  if (named !== undefined) return { program: named[1], code: type };
  return { program: PROGRAM_CODES.get(type.toUpperCase()) ?? (words === '' ? '' : 'Other'), code: type };
}

const NUMBERS_LIMIT = 100;

/** AUT-6, IN1-14.1 and IN3-2 are authorization numbers; RF1-6 and RF1-11 are referral numbers. */
function describeAuthorizations(segments: readonly Segment[], payload: Record<string, unknown>): void {
  const numbers: string[] = [];
  const certifications: Record<string, unknown>[] = [];
  for (const segment of segments) {
    if (segment.id === 'AUT') numbers.push(segment.value(6));
    else if (segment.id === 'IN1') numbers.push(segment.value(14));
    else if (segment.id === 'IN3' && certifications.length < NUMBERS_LIMIT) {
      numbers.push(segment.value(2));
      certifications.push(compact({ number: segment.value(2), required: segment.value(4) }));
    }
  }
  const known = unique(filled(numbers)).slice(0, NUMBERS_LIMIT);
  if (known.length > 0) {
    payload['authorization_number'] = known[0];
    payload['prior_authorizations'] = known;
  }
  payload['certifications'] = certifications;
}
