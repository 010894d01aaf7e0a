import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { ANY_TENANT, OPERATOR_TENANT } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { type LedgerEntryEffect, ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import type { Reach } from '../domain/key-grant.js';

/** An administrative act as the ledger keeps it: ids, states and scopes; never a secret, never a name of a person. */
export interface Act {
  /** `api-key.revoked`, as the state table names it; the family is what stands before the dot. */
  readonly type: string;
  /** Whom it concerns; what concerns no tenant is kept with the operator's own. */
  readonly tenantId: Reach;
  readonly atMs: number;
  readonly payload: JsonObject;
}

/** Who did it, as far as an entry says so. */
export const doneBy = ({ principal }: Pick<RequestContext, 'principal'>): JsonObject => ({
  by: principal.keyId,
  ...(principal.actorId === null ? {} : { actor_id: principal.actorId }),
});

/** The entry of an administrative act, to be written into the document that the act changes. */
export const platformAct = (
  ids: Pick<Ids, 'next'>,
  context: Pick<RequestContext, 'principal'>,
  { type, tenantId, atMs, payload }: Act,
): LedgerEntryEffect =>
  ledgerEntryEffect(ids, {
    tenant_id: tenantId === ANY_TENANT ? OPERATOR_TENANT : tenantId,
    source_system: '_platform',
    entry: {
      event_family: type.slice(0, type.indexOf('.')),
      event_type: type,
      event_effective_timestamp: isoTime(atMs),
      payload: { ...payload, ...doneBy(context) },
    },
  });
