// Notation of codes that rules and events share: `SYSTEM/CODE`, both in capitals. A rule may name a family of codes by its
// prefix: `ICD10CM/G47.3*`.

/** Code systems and their other names. */
const SYSTEM_ALIASES: Readonly<Record<string, readonly string[]>> = {
  CARC: [],
  RARC: [],
  NCPDP: ['NCPDP-REJECT', 'NCPDPREJECT'],
  HCR03: ['HCR'],
  'X12-886': [],
  'X12-508': ['CLAIM-STATUS'],
  AAA03: ['AAA'],
  HCPCS: ['HCPCS2', 'HCPCS-2', 'HCPCSII', 'HCPCS-LEVEL2', 'HC'],
  CPT: [],
  ICD10CM: ['ICD10', 'ICD-10', 'ICD-10-CM', 'ICD10-CM', 'ABK', 'ABF'],
  ICD10PCS: ['ICD-10-PCS'],
  NDC: [],
  REVENUE: ['REV'],
  MODIFIER: [],
  POS: ['PLACE-OF-SERVICE'],
  TAXONOMY: ['NUCC', 'PROVIDER-TAXONOMY'],
  /** A payer's own codes, which have no table; a tenant's rules describe them. */
  PAYER: ['PAYER-LOCAL'],
};

const BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(SYSTEM_ALIASES).flatMap(([name, others]) => [name, ...others].map((other) => [other, name] as const)),
);

/** Length of a code; ICD-10-CM has eight characters with the point. */
const MAX_CODE_CHARACTERS = 32;

const CODE = /^[A-Z0-9][A-Z0-9.:-]*$/;
/** ICD-10 codes without their point, as in X12. */
const UNDOTTED_ICD10 = /^[A-Z][0-9][0-9A-Z][0-9A-Z]{1,4}$/;

export const codeSystemOf = (name: string): string | null => BY_NAME.get(name.trim().toUpperCase()) ?? null;

export interface NamedCode {
  readonly system: string;
  readonly code: string;
  /** True if the code is the prefix of a family. */
  readonly isFamily: boolean;
}

/** Reads `SYSTEM/CODE` or `SYSTEM/START*` in any known spelling; null for other text. */
export function readCode(text: string): NamedCode | null {
  const slash = text.indexOf('/');
  const system = slash < 0 ? null : codeSystemOf(text.slice(0, slash));
  if (system === null) return null;
  const written = text
    .slice(slash + 1)
    .trim()
    .toUpperCase();
  const isFamily = written.endsWith('*');
  // The point of `S82.*` has no meaning: a category of ICD-10-CM ends before it.
  const bare = isFamily ? written.slice(0, -1).replace(/\.$/, '') : written;
  if (bare.length > MAX_CODE_CHARACTERS || !CODE.test(bare)) return null;
  return { system, code: system === 'ICD10CM' ? dottedIcd10(bare) : bare, isFamily };
}

/** Adds the point: `G4733` becomes `G47.33`. */
export const dottedIcd10 = (code: string): string =>
  UNDOTTED_ICD10.test(code) ? `${code.slice(0, 3)}.${code.slice(3)}` : code;

export const writtenCode = ({ system, code, isFamily }: NamedCode): string => `${system}/${code}${isFamily ? '*' : ''}`;

/** Returns every name that a rule may use for this code: the code and each of its families. */
export function namesOfCode(text: string): readonly string[] {
  const read = readCode(text);
  if (read === null) return [];
  if (read.isFamily) return [writtenCode(read)];
  const { system, code } = read;
  const beginnings = Array.from(code, (_, i) => code.slice(0, i + 1)).filter((part) => !part.endsWith('.'));
  return [`${system}/${code}`, ...beginnings.map((part) => `${system}/${part}*`)];
}
