import type { RequestContext } from '../../../shared/auth/context.js';
import { type Reading, readingOf } from '../../../shared/auth/reading.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import { readsOriginals } from '../../../shared/disclosure/originals.js';
import { type FieldFault, problem } from '../../../shared/errors/problem.js';
import { memberKey } from '../../../shared/event-keys/event-keys.js';
import type { TenantContexts } from '../append/index.js';
import type { EventKeyStore } from '../event-keys/index.js';
import { type DamageDeps, readerOf, reportingDamage } from '../integrity/index.js';
import type { LinkStore } from '../links/index.js';
import type { RowProofs } from '../row-proofs/index.js';
import { type Condition, conditionOf, EVERYTHING, type FilterAsked } from './domain/index.js';
import type { AggregateReader } from './read-aggregate.js';

export interface EventQueryDeps extends DamageDeps {
  readonly contexts: TenantContexts;
  readonly rowProofs: RowProofs;
  readonly consent: ConsentGate;
  readonly eventKeys: EventKeyStore;
  readonly links: LinkStore;
}

/** @param purpose empty for none. */
export const readingFor = (context: RequestContext, purpose: string): Reading =>
  readingOf(context, 'events:read', purpose === '' ? null : purpose);

/** Runs a read with a reader of the caller's events, and reports damaged entries. */
export async function readingEvents<T>(
  deps: EventQueryDeps,
  context: RequestContext,
  reading: Reading,
  read: (reader: AggregateReader) => Promise<T>,
): Promise<T> {
  const { tenantId } = reading;
  const tenant = await deps.contexts.of(tenantId);
  const reader = {
    by: { consent: deps.consent, reading },
    tenant,
    sight: { rowProofs: deps.rowProofs, unredacted: readsOriginals(context.principal) },
    events: deps.eventKeys(tenantId),
    links: deps.links.forTenant(tenantId),
    signal: context.signal,
  };
  return reportingDamage(deps, readerOf(context, tenantId), () => read(reader));
}

/**
 * Parses a filter for a reader: a token for one member reads events of that member alone.
 *
 * @throws VALIDATION_ERROR
 */
export function readableCondition({ memberIds }: Reading, filter: FilterAsked | null | undefined): Condition {
  const faults: FieldFault[] = [];
  const condition = filter == null ? EVERYTHING : conditionOf(filter, faults);
  if (faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
  if (memberIds === null) return condition;
  return { kind: 'all', of: [{ kind: 'key', keys: memberIds.map(memberKey), rank: 0 }, condition] };
}
