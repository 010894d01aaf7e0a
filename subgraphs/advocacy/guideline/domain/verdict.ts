import type { Truth } from '../../criteria/domain/index.js';

// Derives a verdict from criteria.

export const VERDICTS = ['SUPPORTS', 'DOES_NOT_SUPPORT', 'INSUFFICIENT_INFORMATION', 'NO_GUIDELINE'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The rule in words, as answers state it. */
export const VERDICT_RULE =
  'A guideline supports the service when every criterion that applies is met; of alternatives one is enough. It does not ' +
  'support it when one is not met, and otherwise the information is insufficient. The service is supported when one ' +
  'guideline supports it; else, when one could with more information, the information is insufficient. Silence of the ' +
  'record is unknown, never a no.';

interface Weighed {
  readonly met: Truth;
  /** Group name: one met criterion of the group is enough. */
  readonly alternative?: string;
}

/** Returns the verdict of one guideline; without criteria the information is insufficient. */
export function verdictOf(criteria: readonly Weighed[]): Exclude<Verdict, 'NO_GUIDELINE'> {
  const groups = new Map<string, Truth>();
  const parts: Truth[] = [];
  for (const { met, alternative } of criteria) {
    if (alternative === undefined) parts.push(met);
    else groups.set(alternative, groups.has(alternative) ? either(groups.get(alternative) ?? null, met) : met);
  }
  parts.push(...groups.values());
  if (parts.includes(false)) return 'DOES_NOT_SUPPORT';
  return parts.length === 0 || parts.includes(null) ? 'INSUFFICIENT_INFORMATION' : 'SUPPORTS';
}

const either = (a: Truth, b: Truth): Truth =>
  a === true || b === true ? true : a === null || b === null ? null : false;

/** Returns the verdict over all guidelines that apply. */
export function overallVerdict(verdicts: readonly Exclude<Verdict, 'NO_GUIDELINE'>[]): Verdict {
  if (verdicts.length === 0) return 'NO_GUIDELINE';
  if (verdicts.includes('SUPPORTS')) return 'SUPPORTS';
  return verdicts.includes('INSUFFICIENT_INFORMATION') ? 'INSUFFICIENT_INFORMATION' : 'DOES_NOT_SUPPORT';
}
