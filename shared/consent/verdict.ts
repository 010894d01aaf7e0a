import { isPart2, PART_2, type SensitiveView } from './sensitivity.js';

// The rules of consent, pure. The members-graph subgraph returns the consents in force for a question; each service that
// returns records applies the rules here to each record.

export const CONSENT_DECISIONS = ['PERMIT', 'DENY'] as const;
export type ConsentDecision = (typeof CONSENT_DECISIONS)[number];

/** A consent that is in force for the purpose, the actor and the moment that were asked about. */
export interface ConsentTerm {
  readonly consent_id: string;
  /** The member, under every identifier that is the same person. */
  readonly member_ids: readonly string[];
  readonly decision: ConsentDecision;
  /** Empty: all of them; a PERMIT without categories does not reach 42 CFR Part 2 data. */
  readonly categories: readonly string[];
}

export interface ConsentTerms {
  /** Members that were asked about: of anybody else nothing is known. */
  readonly member_ids: readonly string[];
  readonly terms: readonly ConsentTerm[];
  /** Source systems that are flagged as a 42 CFR Part 2 program's. */
  readonly part2_source_systems: readonly string[];
}

export const WITHHELD_REASONS = ['CONSENT_DENIED', PART_2] as const;
export type WithheldReason = (typeof WITHHELD_REASONS)[number];

/** Verdict on one record; null means that it may be shown. */
export interface Judged {
  readonly reason: WithheldReason | null;
  /** The consents that decided it; none where a default did. */
  readonly consent_ids: readonly string[];
}

/** Judges records under the terms of one question. */
export interface ConsentVerdict {
  /** Returns the reason to withhold the record, or null. @throws RangeError for a member that was not asked about */
  withholds(record: SensitiveView): WithheldReason | null;
  judge(record: SensitiveView): Judged;
}

/**
 * Deny wins. 42 CFR Part 2 data need a PERMIT that names them, from every member of the record (42 CFR 2.31: a consent
 * says what kind of information it covers). All other data are permitted unless denied.
 */
export function verdictOf(terms: ConsentTerms): ConsentVerdict {
  const flagged = new Set(terms.part2_source_systems);
  const asked = new Set(terms.member_ids);
  const judge = (record: SensitiveView): Judged => {
    if (record.member_ids.some((id) => !asked.has(id))) throw new RangeError('consent was not asked about this member');
    const part2 = isPart2(record, flagged);
    const names = namesOf(record, part2);
    const own = terms.terms.filter(({ member_ids }) => record.member_ids.some((id) => member_ids.includes(id)));
    const denying = own.filter((term) => term.decision === 'DENY' && covers(term, names));
    if (denying.length > 0) return { reason: 'CONSENT_DENIED', consent_ids: idsOf(denying) };
    if (!part2) return { reason: null, consent_ids: idsOf(own.filter((term) => covers(term, names))) };
    const permitting = own.filter(({ decision, categories }) => decision === 'PERMIT' && holds(categories, PART_2));
    const isPermitted = (id: string): boolean => permitting.some(({ member_ids }) => member_ids.includes(id));
    const isOpen = record.member_ids.length > 0 && record.member_ids.every(isPermitted);
    return isOpen ? { reason: null, consent_ids: idsOf(permitting) } : { reason: PART_2, consent_ids: [] };
  };
  return { judge, withholds: (record) => judge(record).reason };
}

const folded = (name: string): string => name.toLowerCase();
const holds = (categories: readonly string[], name: string): boolean => categories.map(folded).includes(folded(name));

/** What consents may name a record by; null where that is not known, and whatever they name may be meant. */
const namesOf = ({ category, labels }: SensitiveView, part2: boolean): ReadonlySet<string> | null =>
  category === null ? null : new Set([category, ...labels, ...(part2 ? [PART_2] : [])].map(folded));

const covers = ({ categories }: ConsentTerm, names: ReadonlySet<string> | null): boolean =>
  categories.length === 0 || names === null || categories.some((category) => names.has(folded(category)));

const idsOf = (terms: readonly ConsentTerm[]): readonly string[] => terms.map(({ consent_id }) => consent_id);
