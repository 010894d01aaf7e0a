import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import {
  DEFAULT_RETENTION_YEARS,
  DEFAULT_RULES,
  POLICY_COUNTS_FROM,
  type RetentionPolicy,
  rulesFaults,
} from '../domain/retention.js';
import type { RulesStore, StoredRules } from './ports/retention-store.js';

export interface RulesDeps extends WorkDeps {
  readonly rules: RulesStore;
  readonly clock: Clock;
  /** No rule may be shorter; the deployment's own setting. */
  readonly minimumYears: number;
}

export interface RulesInput {
  readonly default_years?: number;
  readonly policies: readonly RetentionPolicy[];
  readonly revision?: number;
}

/** Requests remembered for their repeats. */
const KEPT_WORK_IDS = 20;
const MAX_ATTEMPTS = 5;

const UNSET = (tenantId: TenantId): StoredRules => ({
  ...DEFAULT_RULES,
  tenant_id: tenantId,
  revision: 0,
  updated_at: null,
  updated_by: null,
  work_ids: [],
});

export const readRules = async (rules: RulesStore, tenantId: TenantId): Promise<StoredRules> =>
  (await rules.read(tenantId)) ?? UNSET(tenantId);

export const getRules = (deps: RulesDeps, context: RequestContext): Promise<StoredRules> =>
  readRules(deps.rules, authorise(context, 'retention:read'));

const WHY = {
  one_subject: 'Names either an event_family or a document_type.',
  repeated: 'Is named twice.',
} as const;

/** Replaces the rules. Entry `retention.policies-set`. @throws VALIDATION_ERROR for one below the minimum, CONFLICT */
export async function putRules(deps: RulesDeps, context: RequestContext, input: RulesInput): Promise<StoredRules> {
  const tenantId = authorise(context, 'retention:write');
  const next = {
    default_years: input.default_years ?? DEFAULT_RETENTION_YEARS,
    policies: input.policies.map((policy) => ({ counts_from: POLICY_COUNTS_FROM, ...policy })),
  };
  const faults = rulesFaults(next, deps.minimumYears).map(({ at, why }) => {
    const path = at < 0 ? '/default_years' : why === 'too_short' ? `/policies/${at}/years` : `/policies/${at}`;
    return fault(path, why, why === 'too_short' ? `Must be at least ${deps.minimumYears} years here.` : WHY[why]);
  });
  if (faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = await readRules(deps.rules, tenantId);
    const { workId } = context;
    if (workId !== null && standing.work_ids.includes(workId)) return standing;
    if (input.revision !== undefined && input.revision !== standing.revision) {
      throw problem('CONFLICT', { message: 'The policies are at another revision than the one named.' });
    }
    const rules: StoredRules = {
      ...next,
      tenant_id: tenantId,
      revision: standing.revision + 1,
      updated_at: new Date(deps.clock.nowMs()),
      updated_by: context.principal.keyId,
      work_ids: workId === null ? standing.work_ids : [...standing.work_ids, workId].slice(-KEPT_WORK_IDS),
    };
    const pending = [rulesEntry(deps, context, rules)];
    if (!(await deps.rules.write(rules, standing.revision, pending))) continue;
    await deps.rules.relay(tenantId, pending);
    return rules;
  }
  throw problem('CONFLICT', { message: 'The policies are being changed by others; read them and try again.' });
}

function rulesEntry(deps: RulesDeps, context: RequestContext, rules: StoredRules) {
  const { ids } = forWork(deps, context, 'put-retention-policies');
  const { keyId, actorId } = context.principal;
  return ledgerEntryEffect(ids, {
    tenant_id: rules.tenant_id,
    source_system: '_records',
    entry: {
      event_family: 'retention',
      event_type: 'retention.policies-set',
      event_effective_timestamp: isoTime(rules.updated_at?.getTime() ?? 0),
      payload: {
        revision: rules.revision,
        default_years: rules.default_years,
        policies: rules.policies.map((policy) => ({ ...policy })),
        by: keyId,
        ...(actorId === null ? {} : { actor_id: actorId }),
      },
    },
  });
}
