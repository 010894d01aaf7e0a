import type { CountsFrom, DisposalCutoffs } from '../../../shared/contracts/disposal.js';

// How long things are kept (api.md section 3 "Retention"): by event_family or document_type, and for all else the default.

export const DEFAULT_RETENTION_YEARS = 10;

/** One rule: of events of a family, or of documents of a type. */
export interface RetentionPolicy {
  readonly event_family?: string;
  readonly document_type?: string;
  readonly years: number;
  /** Absent in rules that were set before it could be told: those were set as LATER, and stay so. */
  readonly counts_from?: CountsFrom;
}

export interface RetentionRules {
  readonly default_years: number;
  readonly policies: readonly RetentionPolicy[];
}

/** What a policy counts from that is set without saying it: who brings in old records and sets a policy means their age. */
export const POLICY_COUNTS_FROM: CountsFrom = 'EFFECTIVE';
/** What no policy names goes on counting from the later of both, so that nothing brought in late goes by default. */
export const DEFAULT_COUNTS_FROM: CountsFrom = 'LATER';

export const countsFromOf = (rule: RetentionPolicy | undefined): CountsFrom => rule?.counts_from ?? DEFAULT_COUNTS_FROM;

export const DEFAULT_RULES: RetentionRules = { default_years: DEFAULT_RETENTION_YEARS, policies: [] };

/** What a certificate calls the rule: `event_family:claims=7y/EFFECTIVE`, `event_family:claims=7y` (LATER), `default=10y`. */
export function policyName(rules: RetentionRules, kind: 'event_family' | 'document_type', name: string | null): string {
  const rule = ruleOf(rules, kind, name);
  if (rule === undefined) return `default=${rules.default_years}y`;
  const basis = countsFromOf(rule) === 'LATER' ? '' : '/EFFECTIVE';
  return `${kind}:${rule[kind] ?? ''}=${rule.years}y${basis}`;
}

function ruleOf(
  { policies }: RetentionRules,
  kind: 'event_family' | 'document_type',
  name: string | null,
): RetentionPolicy | undefined {
  const wanted = name?.toLowerCase();
  return policies.find((policy) => policy[kind] !== undefined && policy[kind].toLowerCase() === wanted);
}

/** The same day and time that many calendar years before; of 29 February, in a year without one, the 28th: that keeps longer. */
export function yearsBefore(epochMs: number, years: number): number {
  const date = new Date(epochMs);
  date.setUTCFullYear(date.getUTCFullYear() - years);
  if (date.getUTCDate() !== new Date(epochMs).getUTCDate()) date.setUTCDate(0);
  return date.getTime();
}

/** Events before these are past their age. */
export function eventCutoffs(rules: RetentionRules, nowMs: number): DisposalCutoffs {
  const families = rules.policies.flatMap((rule) => {
    const { event_family, years } = rule;
    if (event_family === undefined) return [];
    const cutoff = { before_ms: yearsBefore(nowMs, years), counts_from: countsFromOf(rule) };
    return [[event_family.toLowerCase(), cutoff] as const];
  });
  return { default_before_ms: yearsBefore(nowMs, rules.default_years), families: Object.fromEntries(families) };
}

/** Nothing that was recorded after this can be past its age: by EFFECTIVE, what is recorded now can. */
export function latestRecordedMs({ default_years, policies }: RetentionRules, nowMs: number): number {
  if (policies.some((rule) => countsFromOf(rule) === 'EFFECTIVE')) return nowMs;
  return yearsBefore(nowMs, Math.min(default_years, ...policies.map(({ years }) => years)));
}

/** A document is past its age when this much time has gone since it happened and, by LATER, since it came. */
export function isDocumentPastAge(
  rules: RetentionRules,
  document: { readonly document_type: string | null; readonly effectiveMs: number; readonly createdMs: number },
  nowMs: number,
): boolean {
  const rule = ruleOf(rules, 'document_type', document.document_type);
  const beforeMs = yearsBefore(nowMs, rule?.years ?? rules.default_years);
  if (document.effectiveMs >= beforeMs) return false;
  return countsFromOf(rule) === 'EFFECTIVE' || document.createdMs < beforeMs;
}

/** The same day and time that many calendar years after; of 29 February, in a year without one, 1 March: that keeps longer. */
function yearsAfter(epochMs: number, years: number): number {
  const date = new Date(epochMs);
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date.getTime();
}

/** From then on it is past its age, by the rules as they are. */
const freeAtMs = (
  rule: RetentionPolicy | undefined,
  defaultYears: number,
  effectiveMs: number,
  cameMs: number,
): number =>
  yearsAfter(
    countsFromOf(rule) === 'EFFECTIVE' ? effectiveMs : Math.max(effectiveMs, cameMs),
    rule?.years ?? defaultYears,
  ) + 1;

export const eventFreeAtMs = (
  rules: RetentionRules,
  event: { readonly event_family: string; readonly effective_at_ms: number; readonly recorded_at_ms: number },
): number => {
  const rule = ruleOf(rules, 'event_family', event.event_family);
  return freeAtMs(rule, rules.default_years, event.effective_at_ms, event.recorded_at_ms);
};

export const documentFreeAtMs = (
  rules: RetentionRules,
  document: { readonly document_type: string | null; readonly effectiveMs: number; readonly createdMs: number },
): number => {
  const rule = ruleOf(rules, 'document_type', document.document_type);
  return freeAtMs(rule, rules.default_years, document.effectiveMs, document.createdMs);
};

/** Faults of rules, by place in `policies`; -1 is the default. */
export function rulesFaults(
  { default_years, policies }: RetentionRules,
  minimumYears: number,
): readonly { readonly at: number; readonly why: 'too_short' | 'one_subject' | 'repeated' }[] {
  const seen = new Set<string>();
  const faults: { at: number; why: 'too_short' | 'one_subject' | 'repeated' }[] = [];
  if (default_years < minimumYears) faults.push({ at: -1, why: 'too_short' });
  for (const [at, { event_family, document_type, years }] of policies.entries()) {
    if ((event_family === undefined) === (document_type === undefined)) faults.push({ at, why: 'one_subject' });
    if (years < minimumYears) faults.push({ at, why: 'too_short' });
    const key = `${event_family === undefined ? 'd' : 'e'}:${(event_family ?? document_type ?? '').toLowerCase()}`;
    if (seen.has(key)) faults.push({ at, why: 'repeated' });
    seen.add(key);
  }
  return faults;
}
