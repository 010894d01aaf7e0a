import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { ANY_TENANT, OPERATOR_TENANT } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { type LedgerEntryEffect, ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import type { Reach } from '../tenants/domain.js';

/** An administrative act as the ledger records it: ids, states and scopes; never a secret or the name of a person. */
interface Act {
  /** Type of the state table, such as `api-key.revoked`; the part before the dot is the family. */
  readonly type: string;
  /** The tenant concerned; `*` records the act in the operator's own ledger. */
  readonly tenantId: Reach;
  readonly atMs: number;
  readonly payload: JsonObject;
}

/** Returns the author members of an entry. */
export const doneBy = ({ principal }: Pick<RequestContext, 'principal'>): JsonObject => ({
  by: principal.keyId,
  ...(principal.actorId === null ? {} : { actor_id: principal.actorId }),
});

/** Builds the ledger entry of an administrative act; the changed document carries it. */
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
