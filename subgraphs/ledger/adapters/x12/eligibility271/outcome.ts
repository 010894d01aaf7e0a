import type { Eligibility } from './eligibility-state.js';

export type EligibilityOutcome = 'active' | 'inactive' | 'rejected' | 'error' | 'unknown';

const active: ReadonlySet<string> = new Set(['1', '2', '3', '4', '5']);
const inactive: ReadonlySet<string> = new Set(['6', '7', '8']);
/** Service type 30: the plan's coverage as a whole. */
const wholePlan = '30';

/** AAA rejects; else EB01 tells, of the plan as a whole where it does, of whatever service comes first elsewhere. */
export function eligibilityOutcome({ rejections, benefits }: Eligibility): EligibilityOutcome {
  const telling = benefits.filter(({ information }) => active.has(information) || inactive.has(information));
  const decided = telling.find(({ serviceTypes }) => serviceTypes.includes(wholePlan)) ?? telling[0];
  if (decided !== undefined) return active.has(decided.information) ? 'active' : 'inactive';
  if (rejections.length > 0) return 'rejected';
  // V: cannot process.
  return benefits.some(({ information }) => information === 'V') ? 'error' : 'unknown';
}

/** EB04, insurance type: another list than the claim filing indicator. */
const programs: Readonly<Record<string, string>> = {
  MA: 'Medicare',
  MB: 'Medicare',
  MP: 'Medicare',
  HN: 'Medicare',
  QM: 'Medicare',
  '12': 'Medicare',
  '13': 'Medicare',
  '14': 'Medicare',
  '15': 'Medicare',
  '16': 'Medicare',
  '41': 'Medicare',
  '42': 'Medicare',
  '43': 'Medicare',
  '47': 'Medicare',
  MC: 'Medicaid',
  C1: 'Commercial',
  CO: 'Commercial',
  EP: 'Commercial',
  GP: 'Commercial',
  HM: 'Commercial',
  HS: 'Commercial',
  IN: 'Commercial',
  IP: 'Commercial',
  PR: 'Commercial',
  PS: 'Commercial',
  WC: 'WorkersComp',
};

/** The program of an insurance type; undefined when none was sent. */
export function programOfInsurance(code: string): string | undefined {
  if (code === '') return undefined;
  return Object.hasOwn(programs, code) ? programs[code] : 'Other';
}
