import { compact, unique } from '../x12/compact.js';
import { describeName, stateIn } from './identity.js';
import type { Segment } from './segment.js';

/** Words of a plan's type or name to program; senders write what they like into IN1-15, IN1-4 and IN1-2. */
const programWords: readonly (readonly [RegExp, string])[] = [
  [/\bmedicaid\b|\bmedi-?cal\b|\bmcaid\b/i, 'Medicaid'],
  [/\bmedicare\b|\bmcare\b/i, 'Medicare'],
  [/\btricare\b|\bchampus\b/i, 'TRICARE'],
  [/\bveterans?\b|\bchampva\b/i, 'VA'],
  [/\bwork(?:er|men)'?s'? comp/i, 'WorkersComp'],
];

/** Codes of IN1-15, as X12's claim filing indicators and table 0086 have them. */
const programCodes: Readonly<Record<string, string>> = {
  MA: 'Medicare',
  MB: 'Medicare',
  MCR: 'Medicare',
  MC: 'Medicaid',
  MCD: 'Medicaid',
  CH: 'TRICARE',
  VA: 'VA',
  WC: 'WorkersComp',
  CI: 'Commercial',
  BL: 'Commercial',
  HM: 'Commercial',
  HMO: 'Commercial',
  PPO: 'Commercial',
  POS: 'Commercial',
  EPO: 'Commercial',
};

/** What the first insurance of a patient says: program, payer, coverage, and the numbers of its authorizations. */
export function describeCoverage(segments: readonly Segment[], payload: Record<string, unknown>): void {
  const insurance = segments.find(({ id }) => id === 'IN1');
  if (insurance !== undefined) {
    const { program, code } = programOf(insurance);
    if (program !== '') payload['program'] = program;
    if (code !== '') payload['program_code'] = code;
    payload['payer'] = compact({ name: insurance.value(4), id: insurance.value(3), state: stateIn(insurance, 5) });
    payload['coverage'] = compact({
      plan_id: insurance.value(2),
      plan_name: insurance.text(2, 2),
      plan_type: insurance.value(15),
      group_number: insurance.value(8),
      policy_number: insurance.value(36),
      insured_id: insurance.value(49),
      relationship: insurance.value(17),
    });
    payload['subscriber'] = describeName(insurance, 16);
  }
  describeAuthorizations(segments, payload);
}

/** By the code of the plan's type, else by what it, the company and the plan are called; the code stands beside it. */
function programOf(insurance: Segment): { program: string; code: string } {
  const type = insurance.value(15);
  const code = type.toUpperCase();
  const words = [type, insurance.text(15, 2), insurance.text(4), insurance.value(2), insurance.text(2, 2)]
    .join(' ')
    .trim();
  // A plan that names Medicare is Medicare's, also where its type says HMO.
  const named = programWords.find(([pattern]) => pattern.test(words));
  if (named !== undefined) return { program: named[1], code: type };
  if (Object.hasOwn(programCodes, code)) return { program: programCodes[code] ?? '', code: type };
  return { program: words === '' ? '' : 'Other', code: type };
}

const numbersLimit = 100;

/** AUT-6, IN1-14.1 and IN3-2 are numbers of authorizations; RF1-6 and RF1-11 of referrals. */
function describeAuthorizations(segments: readonly Segment[], payload: Record<string, unknown>): void {
  const numbers: string[] = [];
  const certifications: Record<string, unknown>[] = [];
  for (const segment of segments) {
    if (segment.id === 'AUT') numbers.push(segment.value(6));
    else if (segment.id === 'IN1') numbers.push(segment.value(14));
    else if (segment.id === 'IN3' && certifications.length < numbersLimit) {
      numbers.push(segment.value(2));
      certifications.push(compact({ number: segment.value(2), required: segment.value(4) }));
    }
  }
  const known = unique(numbers.filter((number) => number !== '')).slice(0, numbersLimit);
  if (known.length > 0) {
    payload['authorization_number'] = known[0];
    payload['prior_authorizations'] = known;
  }
  payload['certifications'] = certifications;
}
