import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import {
  type EvaluationRequest,
  evaluateFlag,
  type FlagErrorCode,
  type FlagEvaluation,
  failedEvaluation,
  flagNotFound,
  readContext,
} from '../domain/evaluate-flag.js';
import type { FlagType } from '../domain/feature-flag.js';
import type { FlagQuery, FlagRecord, FlagStore } from './ports/feature-flag-store.js';
import { MAX_FLAGS_PER_TENANT } from './put-feature-flag.js';

export interface ReadFlagDeps {
  readonly flags: FlagStore;
  readonly clock: Clock;
}

export async function listFeatureFlags(
  deps: ReadFlagDeps,
  context: RequestContext,
  query: FlagQuery,
): Promise<Page<FlagRecord>> {
  const tenantId = authorise(context, 'flags:read');
  const rows = await deps.flags(tenantId).list(query);
  const place = (flag: FlagRecord) => ({ atMs: flag.created_at.getTime(), id: `${tenantId}/${flag.key}` });
  return pageOf(rows, query.limit, place);
}

/** Null for an archived one too. */
export async function getFeatureFlag(
  deps: ReadFlagDeps,
  context: RequestContext,
  key: string,
): Promise<FlagRecord | null> {
  const found = await deps.flags(authorise(context, 'flags:read')).get(key);
  return found?.status === 'PRESENT' ? found : null;
}

export interface EvaluationInput {
  /** One flag; all of the tenant's when absent. */
  readonly key?: string | undefined;
  readonly type?: FlagType | undefined;
  readonly context?: JsonValue | undefined;
}

export interface FlagEvaluations {
  readonly evaluations: readonly FlagEvaluation[];
  /** What stopped all of them, where no single flag is to be named. */
  readonly error_code?: FlagErrorCode;
  readonly error_message?: string;
}

const CONTEXT_FAULT = [
  'INVALID_CONTEXT',
  'The context is no object, is too large, or names two targeting keys.',
] as const;

/** Evaluates one flag, or all of the tenant. What goes wrong is told in the answer, as OpenFeature has it. */
export async function evaluateFlags(
  deps: ReadFlagDeps,
  context: RequestContext,
  input: EvaluationInput,
): Promise<FlagEvaluations> {
  const flags = deps.flags(authorise(context, 'flags:read'));
  const evaluated = readContext(input.context);
  if (input.key === undefined) {
    if (evaluated === null) return { evaluations: [], error_code: CONTEXT_FAULT[0], error_message: CONTEXT_FAULT[1] };
    const request: EvaluationRequest = { context: evaluated, type: input.type, nowMs: deps.clock.nowMs() };
    const all = await flags.all(MAX_FLAGS_PER_TENANT);
    return { evaluations: all.map((flag) => evaluateFlag(flag, request)) };
  }
  const flag = await flags.get(input.key);
  if (flag === null || flag.status !== 'PRESENT') return { evaluations: [flagNotFound(input.key)] };
  if (evaluated === null) return { evaluations: [failedEvaluation(input.key, ...CONTEXT_FAULT)] };
  return { evaluations: [evaluateFlag(flag, { context: evaluated, type: input.type, nowMs: deps.clock.nowMs() })] };
}
