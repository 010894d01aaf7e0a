import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { changeRow, requireRevision, retryOnConflict } from '../../../shared/records/conflicts.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import {
  type EvaluationRequest,
  evaluateFlag,
  type FlagErrorCode,
  type FlagEvaluation,
  failedEvaluation,
  flagNotFound,
  readContext,
} from './domain/evaluate-flag.js';
import { definitionFaults, FEATURE_FLAG_MACHINE, type FlagDefinition, type FlagType } from './domain/feature-flag.js';
import type { FlagRecord, FlagStatus, FlagStore, FlagWrite } from './ports.js';

/** Flags of one tenant; one request evaluates all of them. */
const MAX_FLAGS_PER_TENANT = 1_000;

export interface FlagDeps extends WorkDeps {
  readonly flags: FlagStore;
  readonly clock: Clock;
}

interface PutFlag {
  readonly key: string;
  readonly definition: FlagDefinition;
  /** The revision that the caller has read; another current revision is a CONFLICT. */
  readonly revision?: number | undefined;
}

/**
 * Creates, changes or restores a flag. An equal definition changes nothing. The change is recorded in the flag's history and as
 * a `_platform` entry.
 *
 * @throws VALIDATION_ERROR, CONFLICT for another revision or too many flags
 */
export async function putFeatureFlag(deps: FlagDeps, context: RequestContext, put: PutFlag): Promise<FlagRecord> {
  const tenantId = authorise(context, 'flags:write');
  const errors = definitionFaults(put.definition).map(({ path, code, message }) => fault(path, code, message));
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
  const flags = deps.flags(tenantId);
  return retryOnConflict('flag', async () => {
    const current = await flags.get(put.key);
    requireRevision('flag', { revision: current?.revision ?? 0 }, put.revision);
    if (current?.status === 'PRESENT' && changedMembers(current, put.definition).length === 0) return current;
    if (current?.status !== 'PRESENT' && (await flags.count()) >= MAX_FLAGS_PER_TENANT) {
      throw problem('CONFLICT', {
        message: `A tenant can have at most ${MAX_FLAGS_PER_TENANT} flags; delete one first.`,
      });
    }
    const write = writeOf(deps, context, { tenantId, key: put.key, current }, 'put', put.definition);
    return (await flags.write(write, current?.revision ?? null)) ?? undefined;
  });
}

/** Archives a flag: reads of its key find nothing. @throws NOT_FOUND, CONFLICT */
export async function deleteFeatureFlag(deps: FlagDeps, context: RequestContext, key: string): Promise<FlagRecord> {
  const tenantId = authorise(context, 'flags:write');
  const flags = deps.flags(tenantId);
  const read = async () => {
    const found = await flags.get(key);
    return found?.status === 'PRESENT' ? found : null;
  };
  return changeRow('flag', read, (current) => {
    const write = writeOf(deps, context, { tenantId, key, current }, 'delete', current);
    return flags.write(write, current.revision);
  });
}

const MEMBERS = [
  'type',
  'description',
  'variants',
  'default_variant',
  'targeting',
  'enabled',
  'owner',
  'expires_at',
] as const satisfies readonly (keyof FlagDefinition)[];

/** As JSON, so that dates and objects compare by value. */
const changedMembers = (before: FlagDefinition, after: FlagDefinition): string[] =>
  MEMBERS.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));

const definitionOf = (flag: FlagDefinition): FlagDefinition => ({
  type: flag.type,
  description: flag.description,
  variants: flag.variants,
  default_variant: flag.default_variant,
  targeting: flag.targeting,
  enabled: flag.enabled,
  owner: flag.owner,
  expires_at: flag.expires_at,
});

interface Subject {
  readonly tenantId: FlagRecord['tenant_id'];
  readonly key: string;
  readonly current: FlagRecord | null;
}

function writeOf(
  deps: FlagDeps,
  context: RequestContext,
  { tenantId, key, current }: Subject,
  action: 'put' | 'delete',
  definition: FlagDefinition,
): FlagWrite {
  const step = transition<FlagStatus, 'put' | 'delete'>(FEATURE_FLAG_MACHINE, current?.status ?? null, action);
  const at = new Date(deps.clock.nowMs());
  const { ids } = forWork(deps, context, `${action}-feature-flag`);
  const { keyId, actorId } = context.principal;
  const record = {
    ...definitionOf(definition),
    tenant_id: tenantId,
    key,
    status: step.to,
    revision: (current?.revision ?? 0) + 1,
    created_at: current?.created_at ?? at,
    updated_at: at,
  };
  const changed = current === null || action === 'delete' ? [] : changedMembers(current, definition);
  const pending = step.emits.map((eventType) =>
    ledgerEntryEffect(ids, {
      tenant_id: tenantId,
      source_system: '_platform',
      entry: {
        event_family: 'feature-flag',
        event_type: eventType,
        event_effective_timestamp: isoTime(at.getTime()),
        payload: {
          key,
          revision: record.revision,
          enabled: record.enabled,
          changed,
          definition_sha256: definitionSha256(record),
          by: keyId,
          ...(actorId === null ? {} : { actor_id: actorId }),
        },
      },
    }),
  );
  const change = {
    revision: record.revision,
    action: step.emits[0] ?? action,
    at,
    by: keyId,
    actor_id: actorId,
    changed,
  };
  return { record, change, pending };
}

/** Identifies the definition without revealing it, because rules may contain any value. */
const definitionSha256 = (flag: FlagDefinition): string => {
  const { expires_at, targeting, ...rest } = definitionOf(flag);
  const rules = targeting.map(({ when, variant, percent, split }) => ({
    ...(when === undefined ? {} : { when }),
    ...(variant === undefined ? {} : { variant }),
    ...(percent === undefined ? {} : { percent }),
    ...(split === undefined ? {} : { split: split.map((share) => ({ ...share })) }),
  }));
  return sha256Hex(
    canonicalJson({ ...rest, targeting: rules, expires_at: expires_at && isoTime(expires_at.getTime()) }),
  );
};

interface ReadFlagDeps {
  readonly flags: FlagStore;
  readonly clock: Clock;
}

export async function listFeatureFlags(
  deps: ReadFlagDeps,
  context: RequestContext,
  query: ListQuery<FlagRecord>,
): Promise<Page<FlagRecord>> {
  return deps.flags(authorise(context, 'flags:read')).page(query);
}

/** @returns null also for an archived flag. */
export async function getFeatureFlag(
  deps: ReadFlagDeps,
  context: RequestContext,
  key: string,
): Promise<FlagRecord | null> {
  const found = await deps.flags(authorise(context, 'flags:read')).get(key);
  return found?.status === 'PRESENT' ? found : null;
}

interface EvaluationInput {
  /** Key of one flag; all flags of the tenant if absent. */
  readonly key?: string | undefined;
  readonly type?: FlagType | undefined;
  readonly context?: JsonValue | undefined;
}

interface FlagEvaluations {
  readonly evaluations: readonly FlagEvaluation[];
  /** Error of the whole request, if it names no single flag. */
  readonly error_code?: FlagErrorCode;
  readonly error_message?: string;
}

const CONTEXT_FAULT = [
  'INVALID_CONTEXT',
  'The context must be an object within the size limit, with at most one targeting key.',
] as const;

/** Evaluates one flag or all flags of the tenant. The answer contains errors, as OpenFeature defines. */
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
