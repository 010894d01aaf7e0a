import type { CountsFrom, DisposalCutoffs } from '../../../../shared/contracts/disposal.js';
import { documentTimeMs } from '../../documents/domain.js';

// Retention (api.md section 3 "Retention"): by event_family or document_type, with a default for the rest.

export const DEFAULT_RETENTION_YEARS = 10;

/** One rule: for events of a family, or for documents of a type. */
export interface RetentionPolicy {
  readonly event_family?: string;
  readonly document_type?: string;
  readonly years: number;
  /** Absent in rules set before this field existed: those were set as LATER. */
  readonly counts_from?: CountsFrom;
}

export interface RetentionRules {
  readonly default_years: number;
  readonly policies: readonly RetentionPolicy[];
}

/** Basis of a new policy without one: callers who import old records and set a policy mean the age of the records. */
export const POLICY_COUNTS_FROM: CountsFrom = 'EFFECTIVE';
/** The default counts from the later time, so that late imports do not expire by default. */
export const DEFAULT_COUNTS_FROM: CountsFrom = 'LATER';

export const countsFromOf = (rule: RetentionPolicy | undefined): CountsFrom => rule?.counts_from ?? DEFAULT_COUNTS_FROM;

export const DEFAULT_RULES: RetentionRules = { default_years: DEFAULT_RETENTION_YEARS, policies: [] };

/**
 * Names the rule for a certificate: `event_family:claims=7y/EFFECTIVE`, `event_family:claims=7y` (LATER),
 * `default=10y`.
 */
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

/**
 * Returns the same day and time some calendar years before. For 29 February in a common year, returns the 28th: that
 * keeps records longer.
 */
function yearsBefore(epochMs: number, years: number): number {
  const date = new Date(epochMs);
  date.setUTCFullYear(date.getUTCFullYear() - years);
  if (date.getUTCDate() !== new Date(epochMs).getUTCDate()) date.setUTCDate(0);
  return date.getTime();
}

/** Returns the times before which events have expired. */
export function eventCutoffs(rules: RetentionRules, nowMs: number): DisposalCutoffs {
  const families = rules.policies.flatMap((rule) => {
    const { event_family, years } = rule;
    if (event_family === undefined) return [];
    const cutoff = { before_ms: yearsBefore(nowMs, years), counts_from: countsFromOf(rule) };
    return [[event_family.toLowerCase(), cutoff] as const];
  });
  return { default_before_ms: yearsBefore(nowMs, rules.default_years), families: Object.fromEntries(families) };
}

/** Returns the latest recording time of anything that can have expired; with EFFECTIVE rules, now. */
export function latestRecordedMs({ default_years, policies }: RetentionRules, nowMs: number): number {
  if (policies.some((rule) => countsFromOf(rule) === 'EFFECTIVE')) return nowMs;
  return yearsBefore(nowMs, Math.min(default_years, ...policies.map(({ years }) => years)));
}

/** The members of a document that its age depends on. */
interface AgingDocument {
  readonly document_type: string | null;
  readonly effective_at: Date | null;
  readonly created_at: Date;
}

/** Checks whether a document has expired, counted from its effective time and, for LATER, from its upload too. */
export function isAgedDocument(rules: RetentionRules, document: AgingDocument, nowMs: number): boolean {
  const rule = ruleOf(rules, 'document_type', document.document_type);
  const beforeMs = yearsBefore(nowMs, rule?.years ?? rules.default_years);
  if (documentTimeMs(document) >= beforeMs) return false;
  return countsFromOf(rule) === 'EFFECTIVE' || document.created_at.getTime() < beforeMs;
}

/**
 * Returns the same day and time some calendar years after. For 29 February in a common year, returns 1 March: that
 * keeps records longer.
 */
function yearsAfter(epochMs: number, years: number): number {
  const date = new Date(epochMs);
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date.getTime();
}

/** Returns the time from which it has expired, by the current rules. */
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

export const documentAgedAtMs = (rules: RetentionRules, document: AgingDocument): number => {
  const rule = ruleOf(rules, 'document_type', document.document_type);
  return freeAtMs(rule, rules.default_years, documentTimeMs(document), document.created_at.getTime());
};

/** Returns the faults of rules by index in `policies`; -1 is the default. */
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
