import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { readsOriginals } from '../../../shared/disclosure/originals.js';
import { Problem, problem } from '../../../shared/errors/problem.js';
import { type Criterion, readCriteria } from '../criteria/domain/index.js';
import { readFacts } from '../facts/domain/index.js';
import { type EventRecordDeps, readingFor, recordAround } from '../facts/index.js';
import { type KnownCodes, prepareRule } from '../rules/index.js';
import type { RuleInput } from '../rules/schema.js';
import { concerns, ruleCodesOf } from './domain/applicability.js';
import { evaluateGuideline } from './domain/evaluate-guideline.js';
import type { GuidelineResult, PreviewedCriterion, RulePreview } from './schema.js';

export interface PreviewDeps extends EventRecordDeps {
  readonly knownCodes: KnownCodes;
}

/** Name and number that a rule does not have yet. */
const UNSAVED = { rule_id: 'preview', revision: 0 } as const;

/**
 * Evaluates a rule on the newest events of the tenant, each on the record of its member as the caller may see it. Stores
 * nothing and raises no event.
 *
 * @throws VALIDATION_ERROR as putRule does, FORBIDDEN without rules:write and events:read
 */
export async function previewRule(
  deps: PreviewDeps,
  context: RequestContext,
  given: RuleInput,
  last: number,
): Promise<RulePreview> {
  const tenantId = authorise(context, 'rules:write');
  const reading = readingFor(context, { purpose: null, record: false, eventId: '' });
  const { key, content } = await prepareRule(deps.knownCodes, given).catch(belowRule);
  const unredacted = readsOriginals(context.principal);
  const events = await deps.eventReads.newest(tenantId, { limit: last, unredacted });
  const results: GuidelineResult[] = [];
  for (const event of events) {
    if (!concerns(content.codes, ruleCodesOf(event))) continue;
    const facts = readFacts(await recordAround(deps, context, reading, event));
    const result = evaluateGuideline({ ...content, ...UNSAVED, key }, facts);
    if (result !== null) results.push(result);
  }
  return {
    looked_at: events.length,
    judged: results.length,
    ...tallied(readCriteria(content.criteria, content.title), results),
  };
}

/** Faults point into the request, where the rule is one member. */
function belowRule(error: unknown): never {
  const { errors } = error instanceof Problem ? error.details : {};
  if (errors === undefined) throw error;
  throw problem('VALIDATION_ERROR', { errors: errors.map((found) => ({ ...found, path: `/rule${found.path}` })) });
}

/** Every criterion is counted, also of a rule that applies to no event. */
function tallied(
  asked: readonly Criterion[],
  results: readonly GuidelineResult[],
): Pick<RulePreview, 'verdicts' | 'criteria'> {
  const verdicts = { SUPPORTS: 0, DOES_NOT_SUPPORT: 0, INSUFFICIENT_INFORMATION: 0 };
  const none = { met: 0, not_met: 0, no_value: 0 };
  const shown = asked.filter(({ informative }) => !informative);
  const criteria = new Map<string, PreviewedCriterion>(shown.map(({ id, text }) => [id, { id, text, ...none }]));
  for (const { verdict, criteria: judged } of results) {
    verdicts[verdict]++;
    for (const { id, text, met } of judged) {
      const counted = criteria.get(id) ?? { id, text, ...none };
      counted[met === null ? 'no_value' : met ? 'met' : 'not_met']++;
      criteria.set(id, counted);
    }
  }
  return { verdicts, criteria: [...criteria.values()] };
}
