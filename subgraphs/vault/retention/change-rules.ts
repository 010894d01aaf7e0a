import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { custodyActorOf } from '../../../shared/custody/custody-entry.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { requireRevision, retryOnConflict } from '../../../shared/records/conflicts.js';
import {
  DEFAULT_RETENTION_YEARS,
  DEFAULT_RULES,
  POLICY_COUNTS_FROM,
  type RetentionPolicy,
  rulesFaults,
} from './domain/rules.js';
import type { RulesAct, RulesStore, StoredRules } from './ports.js';

export interface RulesDeps extends WorkDeps {
  readonly rules: RulesStore;
  readonly clock: Clock;
  /** Minimum of the deployment for every rule. */
  readonly minimumYears: number;
}

interface RulesInput {
  readonly default_years?: number;
  readonly policies: readonly RetentionPolicy[];
  readonly revision?: number;
}

/** Number of stored work ids. */
const KEPT_WORK_IDS = 20;

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

const FAULT_TEXTS = {
  one_subject: 'Must name either an event_family or a document_type.',
  repeated: 'Must be named only once.',
} as const;

/**
 * Replaces the rules by a fact, the entry `retention.policies-set`.
 *
 * @throws VALIDATION_ERROR for a rule below the minimum, CONFLICT
 */
export async function putRules(deps: RulesDeps, context: RequestContext, input: RulesInput): Promise<StoredRules> {
  const tenantId = authorise(context, 'retention:write');
  const next = {
    default_years: input.default_years ?? DEFAULT_RETENTION_YEARS,
    policies: input.policies.map((policy) => ({ counts_from: POLICY_COUNTS_FROM, ...policy })),
  };
  const faults = rulesFaults(next, deps.minimumYears).map(({ at, why }) => {
    const path = at < 0 ? '/default_years' : why === 'too_short' ? `/policies/${at}/years` : `/policies/${at}`;
    return fault(
      path,
      why,
      why === 'too_short' ? `Must be at least ${deps.minimumYears} years in this deployment.` : FAULT_TEXTS[why],
    );
  });
  if (faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
  return retryOnConflict('retention policies', async () => {
    const current = await readRules(deps.rules, tenantId);
    const { workId } = context;
    if (workId !== null && current.work_ids.includes(workId)) return current;
    requireRevision('retention policies', current, input.revision);
    const rules: StoredRules = {
      ...next,
      tenant_id: tenantId,
      revision: current.revision + 1,
      updated_at: new Date(deps.clock.nowMs()),
      updated_by: context.principal.keyId,
      work_ids: workId === null ? current.work_ids : [...current.work_ids, workId].slice(-KEPT_WORK_IDS),
    };
    return (await deps.rules.write(rules, rulesAct(deps, context, rules))) ? rules : undefined;
  });
}

function rulesAct(deps: RulesDeps, context: RequestContext, rules: StoredRules): RulesAct {
  const { keyId, actorId } = context.principal;
  return {
    fact_id: forWork(deps, context, 'put-retention-policies').ids.next('effect'),
    event_type: 'retention.policies-set',
    action: 'set',
    actor: custodyActorOf(context),
    details: {
      revision: rules.revision,
      default_years: rules.default_years,
      policies: rules.policies.map((policy) => ({ ...policy })),
      by: keyId,
      ...(actorId === null ? {} : { actor_id: actorId }),
    },
  };
}
