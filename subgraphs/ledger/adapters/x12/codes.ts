/** Claim filing indicator (837 SBR09, 835 CLP06) to program. */
const programs: Readonly<Record<string, string>> = {
  MA: 'Medicare',
  MB: 'Medicare',
  '16': 'Medicare',
  MC: 'Medicaid',
  CI: 'Commercial',
  BL: 'Commercial',
  HM: 'Commercial',
  '12': 'Commercial',
  '13': 'Commercial',
  '14': 'Commercial',
  '15': 'Commercial',
  FI: 'Commercial',
  CH: 'TRICARE',
  VA: 'VA',
  WC: 'WorkersComp',
};

/** The program of a claim filing indicator; undefined when none was sent. */
export function programOf(code: string): string | undefined {
  if (code === '') return undefined;
  return Object.hasOwn(programs, code) ? programs[code] : 'Other';
}

const stateCodes: ReadonlySet<string> = new Set(
  (
    'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR ' +
    'PA RI SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI'
  ).split(' '),
);

/** The state of an N4 (state in N402, country in N404); '' when it is not one of the United States. */
export function stateOf(state: string, country: string): string {
  const code = state.toUpperCase();
  const here = country === '' || country === 'US' || country === 'USA';
  return here && stateCodes.has(code) ? code : '';
}

/** `US-XX` of the first party whose address names a state, else `US`. */
export function jurisdictionOf(...parties: ({ state: string } | null)[]): string {
  for (const party of parties) if (party !== null && party.state !== '') return `US-${party.state}`;
  return 'US';
}

/** ICD-9-CM diagnosis qualifiers; their `A…` forms are ICD-10-CM. */
const icd9Diagnosis: ReadonlySet<string> = new Set(['BK', 'BF', 'BJ', 'PR', 'BN']);
const icd10Diagnosis: ReadonlySet<string> = new Set(['ABK', 'ABF', 'ABJ', 'APR', 'ABN']);
const icd9Procedure: ReadonlySet<string> = new Set(['BR', 'BQ']);
const otherProcedure: ReadonlySet<string> = new Set(['BBR', 'BBQ', 'BP', 'BO']);

/** What an HI component's qualifier introduces; null when it is no diagnosis or procedure. */
export function healthCodeKind(qualifier: string): 'diagnosis' | 'procedure' | null {
  if (icd10Diagnosis.has(qualifier) || icd9Diagnosis.has(qualifier)) return 'diagnosis';
  return icd9Procedure.has(qualifier) || otherProcedure.has(qualifier) ? 'procedure' : null;
}

/** A code with the dot that X12 leaves out: ICD-10 and ICD-9 after three characters, ICD-9 E codes after four, ICD-9 procedures after two. */
export function dottedCode(qualifier: string, raw: string): string {
  if (raw.includes('.')) return raw;
  let lead = raw.length;
  if (icd10Diagnosis.has(qualifier)) lead = 3;
  else if (icd9Diagnosis.has(qualifier)) lead = raw.startsWith('E') ? 4 : 3;
  else if (icd9Procedure.has(qualifier)) lead = 2;
  return raw.length > lead ? `${raw.slice(0, lead)}.${raw.slice(lead)}` : raw;
}
