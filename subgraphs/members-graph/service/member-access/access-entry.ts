import type { RequestContext } from '../../../../shared/auth/context.js';
import { isoTime } from '../../../../shared/clock/clock.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../../shared/ids/work.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import { ledgerEntryEffect, type PendingEffect } from '../../../../shared/outbox/pending-effect.js';
import type { TransitionRow } from '../../../../shared/state-machine/state-machine.js';

interface Told {
  readonly tenantId: TenantId;
  readonly family: 'member-auth' | 'ava-access';
  readonly step: TransitionRow;
  readonly at: Date;
  /** Ids and counts: never a code, a token, or whose record it is. */
  readonly payload: JsonObject;
}

/** The entries in `_records` that a step leaves behind. */
export function accessEntries(
  deps: WorkDeps,
  context: RequestContext,
  { tenantId, family, step, at, payload }: Told,
): readonly PendingEffect[] {
  const { keyId, actorId } = context.principal;
  const { ids } = forWork(deps, context, `${family}-${step.action}-entries`);
  return step.emits.map((eventType) =>
    ledgerEntryEffect(ids, {
      tenant_id: tenantId,
      source_system: '_records',
      entry: {
        event_family: family,
        event_type: eventType,
        event_effective_timestamp: isoTime(at.getTime()),
        outcome: step.to,
        payload: {
          ...payload,
          from: step.from,
          to: step.to,
          by: keyId,
          ...(actorId === null ? {} : { actor_id: actorId }),
        },
      },
    }),
  );
}

export const FAMILIES = { MEMBER: 'member-auth', AVA: 'ava-access' } as const;
