/**
 * Which identifiers name a member, in every format. A known system counts with or without a type. A number that only a
 * facility or a server knows never names a member bare: it is qualified by the namespace of its issuer.
 */

/** What an identifier is good for. */
type IdentifierRole =
  /** A number of a member at a payer or a program. */
  | 'MEMBER'
  /** A number of a person, for matching only: social security, driver's licence, passport. */
  | 'PERSON'
  /** A number of a provider. */
  | 'PROVIDER'
  /** A number that only its issuer knows, such as a medical record number. */
  | 'LOCAL';

export interface NamedIdentifier {
  readonly value: string;
  /** A URI or an OID, with or without `urn:oid:`. */
  readonly system: string;
  /** Codes of HL7 table 0203. */
  readonly types: readonly string[];
}

/** Member numbers in order of preference: HL7 table 0203, and CARIN's unique member id. */
const MEMBER_TYPES: readonly string[] = ['MB', 'SN', 'MA', 'MC', 'um'];
const PERSON_TYPES: ReadonlySet<string> = new Set('SS SB DL PPN TAX CZ PRC BCT BC DC'.split(' '));
const PROVIDER_TYPES: ReadonlySet<string> = new Set('NPI PRN UPIN EI DEA MD'.split(' '));

const MBI_SYSTEM = /\/us-mbi\b|\bcmsMBI\b|(?:^|:)2\.16\.840\.1\.113883\.4\.927$/i;
/** Systems of member numbers, each with its type. */
const MEMBER_SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [MBI_SYSTEM, 'MC'],
  [/\/us-medicare\b|medicare|\bcmsHICN\b|hicn\b|(?:^|:)2\.16\.840\.1\.113883\.4\.572$/i, 'MC'],
  [/medicaid|medi-cal/i, 'MA'],
  [/member-?(?:id|identifier|number)|subscriber-?(?:id|identifier|number)|insured-?(?:id|number)/i, 'MB'],
  [/(?:health|medical)-?plan|\bpay[eo]rs?\b|insur(?:ance|er)|coverage/i, 'MB'],
  // Member identification number, in the examples of Da Vinci.
  [/\/MIN$/, 'MB'],
];
const PERSON_SYSTEM =
  /us-ssn\b|passport|driver|(?:^|:)2\.16\.840\.1\.113883\.4\.(?:1|3\.\d+|330(?:\.\d+)?)$|\/us-(?:dl|itin)\b/i;
const PROVIDER_SYSTEM = /us-npi\b|(?:^|:)2\.16\.840\.1\.113883\.4\.6$/i;

/** Decides by the system where it is known, else by the type. */
export function roleOf({ system, types }: Omit<NamedIdentifier, 'value'>): IdentifierRole {
  if (PERSON_SYSTEM.test(system) || types.some((type) => PERSON_TYPES.has(type))) return 'PERSON';
  if (PROVIDER_SYSTEM.test(system) || types.some((type) => PROVIDER_TYPES.has(type))) return 'PROVIDER';
  return memberRank({ system, types }) === null ? 'LOCAL' : 'MEMBER';
}

/** The preference of a member number, 0 first; null for any other identifier. */
function memberRank({ system, types }: Omit<NamedIdentifier, 'value'>): number | null {
  const typed = types.map((type) => MEMBER_TYPES.indexOf(type)).filter((rank) => rank >= 0);
  if (typed.length > 0) return Math.min(...typed);
  // A medical record number stays one, whatever the name of its system.
  if (types.length > 0) return null;
  const known = MEMBER_SYSTEMS.find(([pattern]) => pattern.test(system));
  return known === undefined ? null : MEMBER_TYPES.indexOf(known[1]);
}

/** The best member number; among equals the first. Null if none names a member. */
export function bestMember<T extends NamedIdentifier>(identifiers: readonly T[]): T | null {
  let best: { one: T; rank: number } | null = null;
  for (const one of identifiers) {
    if (one.value === '' || roleOf(one) !== 'MEMBER') continue;
    const rank = memberRank(one) ?? MEMBER_TYPES.length;
    if (best === null || rank < best.rank) best = { one, rank };
  }
  return best?.one ?? null;
}

const MBI = /^[1-9][A-Z][A-Z0-9]\d-?[A-Z][A-Z0-9]\d-?[A-Z]{2}\d{2}$/i;

/** A member number as every format writes it: a Medicare number without the dashes of its card. */
export const memberValue = ({ value, system }: NamedIdentifier): string =>
  MBI_SYSTEM.test(system) && MBI.test(value) ? value.replaceAll('-', '').toUpperCase() : value;

const NAMESPACE_LIMIT = 80;

/** An id under the namespace of who issued it; '' where there is no usable namespace. */
export const namespaced = (namespace: string, id: string): string =>
  namespace === '' || namespace.length > NAMESPACE_LIMIT || id === '' ? '' : `${namespace}|${id}`;
