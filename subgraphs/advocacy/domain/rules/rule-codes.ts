// How rules and events write a code, so that both find each other: `SYSTEM/CODE`, both in capitals. A rule may name a family
// of codes by its beginning, `ICD10CM/G47.3*`.

/** Systems by the name that they have here, and what else they are called. */
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
  /** A payer's own codes, of which there is no table: a tenant's rules give them their words. */
  PAYER: ['PAYER-LOCAL'],
};

export const CODE_SYSTEMS: readonly string[] = Object.keys(SYSTEM_ALIASES);

const BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(SYSTEM_ALIASES).flatMap(([name, others]) => [name, ...others].map((other) => [other, name] as const)),
);

/** Of one code; ICD-10-CM has eight with its point. */
export const MAX_CODE_CHARACTERS = 32;

const CODE = /^[A-Z0-9][A-Z0-9.:-]*$/;
/** ICD-10 codes without their point, as X12 carries them. */
const UNDOTTED_ICD10 = /^[A-Z][0-9][0-9A-Z][0-9A-Z]{1,4}$/;

export const codeSystemOf = (name: string): string | null => BY_NAME.get(name.trim().toUpperCase()) ?? null;

export interface NamedCode {
  readonly system: string;
  readonly code: string;
  /** The code is the beginning of a family. */
  readonly isFamily: boolean;
}

/** Reads `SYSTEM/CODE` or `SYSTEM/START*` in any spelling that is known; null for what is neither. */
export function readCode(text: string): NamedCode | null {
  const slash = text.indexOf('/');
  const system = slash < 0 ? null : codeSystemOf(text.slice(0, slash));
  if (system === null) return null;
  const written = text
    .slice(slash + 1)
    .trim()
    .toUpperCase();
  const isFamily = written.endsWith('*');
  // The point of `S82.*` says nothing: a category of ICD-10-CM ends before it.
  const bare = isFamily ? written.slice(0, -1).replace(/\.$/, '') : written;
  if (bare.length > MAX_CODE_CHARACTERS || !CODE.test(bare)) return null;
  return { system, code: system === 'ICD10CM' ? dottedIcd10(bare) : bare, isFamily };
}

/** `G4733` is `G47.33`. */
export const dottedIcd10 = (code: string): string =>
  UNDOTTED_ICD10.test(code) ? `${code.slice(0, 3)}.${code.slice(3)}` : code;

export const writtenCode = ({ system, code, isFamily }: NamedCode): string => `${system}/${code}${isFamily ? '*' : ''}`;

/** Every way in which a rule may have named this code: itself, and each family that holds it. */
export function namesOfCode(text: string): readonly string[] {
  const read = readCode(text);
  if (read === null) return [];
  if (read.isFamily) return [writtenCode(read)];
  const { system, code } = read;
  const beginnings = Array.from(code, (_, i) => code.slice(0, i + 1)).filter((part) => !part.endsWith('.'));
  return [`${system}/${code}`, ...beginnings.map((part) => `${system}/${part}*`)];
}
