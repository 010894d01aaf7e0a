import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../../shared/clock/clock.js';
import { problem } from '../../../../shared/errors/problem.js';
import { forWork, type WorkDeps } from '../../../../shared/ids/work.js';
import { ledgerEntryEffect } from '../../../../shared/outbox/pending-effect.js';
import type { ConsentPolicies, ConsentPolicy, PolicyWrite } from '../ports/consent-store.js';

export interface PolicyDeps extends WorkDeps {
  readonly policies: ConsentPolicies;
  readonly clock: Clock;
}

const MAX_ATTEMPTS = 5;

export const readPolicy = (
  { policies }: Pick<PolicyDeps, 'policies'>,
  context: RequestContext,
): Promise<ConsentPolicy> => policies.of(authorise(context, 'consent:read'));

/**
 * Says which source systems are a 42 CFR Part 2 program's. It holds for records that are here already as for those that come.
 * @throws CONFLICT at another revision than the one named
 */
export async function putPolicy(
  deps: PolicyDeps,
  context: RequestContext,
  { systems, revision }: { systems: readonly string[]; revision: number | undefined },
): Promise<ConsentPolicy> {
  const tenantId = authorise(context, 'consent:write');
  const part2_source_systems = [...new Set(systems)].sort();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = await deps.policies.of(tenantId);
    if (isSame(standing.part2_source_systems, part2_source_systems)) return standing;
    if (revision !== undefined && standing.revision !== revision) {
      throw problem('CONFLICT', { message: 'The consent policy is at another revision than the one named.' });
    }
    const at = new Date(deps.clock.nowMs());
    const policy = {
      part2_source_systems,
      revision: standing.revision + 1,
      updated_at: at,
      updated_by: context.principal.keyId,
    };
    const { ids } = forWork(deps, context, 'put-consent-policy');
    const pending = [
      ledgerEntryEffect(ids, {
        tenant_id: tenantId,
        source_system: '_records',
        entry: {
          event_family: 'consent',
          event_type: 'consent.policy-set',
          event_effective_timestamp: isoTime(at.getTime()),
          payload: { part2_source_systems, revision: policy.revision, by: context.principal.keyId },
        },
      }),
    ];
    const write: PolicyWrite = { policy, pending };
    if (!(await deps.policies.replace(tenantId, write, standing.revision))) continue;
    await deps.policies.relay(tenantId, write);
    return policy;
  }
  throw problem('CONFLICT', { message: 'The consent policy is being changed by others; read it and try again.' });
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, index) => name === b[index]);
