/** A table of codes from the codes of each name: `{ paid: 'F1', denied: 'F2 F5' }` reads F2 and F5 as denied. */
export function byCode<Name extends string>(codesOf: Readonly<Record<Name, string>>): ReadonlyMap<string, Name> {
  const table = new Map<string, Name>();
  for (const name in codesOf) for (const code of codesOf[name].split(' ')) table.set(code, name);
  return table;
}

/** Claim filing indicator (837 SBR09, 835 CLP06) to program. */
const PROGRAMS = byCode({
  Medicare: 'MA MB 16',
  Medicaid: 'MC',
  Commercial: 'CI BL HM 12 13 14 15 FI',
  TRICARE: 'CH',
  VA: 'VA',
  WorkersComp: 'WC',
});

/** The program of a claim filing indicator; undefined when none was sent. */
export const programOf = (code: string): string | undefined => programIn(PROGRAMS, code);

/** The program of a code of any list; undefined when none was sent. */
export function programIn(programs: ReadonlyMap<string, string>, code: string): string | undefined {
  return code === '' ? undefined : (programs.get(code) ?? 'Other');
}

/** X12 306, the action code of a review (278 HCR01; FHIR reviewActionCode). */
export const REVIEW_ACTIONS = byCode({
  approved: 'A1',
  partially_approved: 'A2 A6',
  denied: 'A3',
  pended: 'A4 CT',
  cancelled: 'C',
  no_action_required: 'NA',
});

const STATE_CODES: ReadonlySet<string> = new Set(
  (
    'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR ' +
    'PA RI SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI'
  ).split(' '),
);

/** The state of an N4 (state in N402, country in N404); '' outside the United States. */
export function stateOf(state: string, country: string): string {
  const code = state.toUpperCase();
  const here = country === '' || country === 'US' || country === 'USA';
  return here && STATE_CODES.has(code) ? code : '';
}

/** `US-XX` of the first party with a state in its address, else `US`. */
export function jurisdictionOf(...parties: ({ state: string } | null)[]): string {
  for (const party of parties) if (party !== null && party.state !== '') return `US-${party.state}`;
  return 'US';
}

/** The code lists of HI qualifiers. */
const HEALTH_CODES = byCode({
  icd10: 'ABK ABF ABJ APR ABN',
  icd9: 'BK BF BJ PR BN',
  icd9Procedure: 'BR BQ',
  otherProcedure: 'BBR BBQ BP BO',
});

/** The kind of code that an HI qualifier introduces; null if neither diagnosis nor procedure. */
export function healthCodeKind(qualifier: string): 'diagnosis' | 'procedure' | null {
  const list = HEALTH_CODES.get(qualifier);
  if (list === undefined) return null;
  return list === 'icd10' || list === 'icd9' ? 'diagnosis' : 'procedure';
}

/**
 * Adds the dot that X12 leaves out: after three characters for ICD-10 and ICD-9, four for ICD-9 E codes, two for ICD-9
 * procedures.
 */
export function dottedCode(qualifier: string, raw: string): string {
  if (raw.includes('.')) return raw;
  const list = HEALTH_CODES.get(qualifier);
  let lead = raw.length;
  if (list === 'icd10') lead = 3;
  else if (list === 'icd9') lead = raw.startsWith('E') ? 4 : 3;
  else if (list === 'icd9Procedure') lead = 2;
  return raw.length > lead ? `${raw.slice(0, lead)}.${raw.slice(lead)}` : raw;
}

const PLAIN_NDC = /^\d{11}$/;
const DASHED_NDC = /^(\d{4,5})-(\d{3,4})-(\d{1,2})$/;

/** A National Drug Code as eleven digits (5-4-2); null if it is none. Ten digits without dashes are ambiguous. */
export function normalizeNdc(text: string): string | null {
  if (PLAIN_NDC.test(text)) return text;
  const found = DASHED_NDC.exec(text);
  if (found === null) return null;
  const [, labeler = '', product = '', pack = ''] = found;
  return labeler.padStart(5, '0') + product.padStart(4, '0') + pack.padStart(2, '0');
}
