import type { LedgerEvents } from '../../../shared/contracts/event-reads.js';
import type { TiedRecords } from '../../../shared/contracts/record-ties.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { DocumentStore } from '../documents/index.js';
import type { HoldScope, ScopedHold } from './domain/scope.js';

export interface KnownRecordsDeps {
  readonly documents: DocumentStore;
  readonly ledgerEvents: LedgerEvents;
  readonly tiedRecords: TiedRecords;
}

/**
 * Rejects a hold that names a record which the tenant does not have: a mistyped hold protects nothing.
 *
 * The lists of the scope are as the caller gave them, because the paths name their places.
 *
 * @param before names that an earlier check has passed
 * @throws VALIDATION_ERROR with the path of each unknown name
 */
export async function requireKnownRecords(
  deps: KnownRecordsDeps,
  tenantId: TenantId,
  { scope, matter_id }: ScopedHold,
  before: ScopedHold = { scope: {}, matter_id: null },
): Promise<void> {
  if (scope.allow_unknown === true) return;
  const faults = [
    ...(await unknownOf('event_ids', 'event', scope, before.scope, (ids) => deps.ledgerEvents.known(tenantId, ids))),
    ...(await unknownOf('document_ids', 'document', scope, before.scope, async (ids) => {
      const found = await deps.documents(tenantId).among(ids);
      return new Set(found.map(({ document_id }) => document_id));
    })),
    ...(matter_id === null || matter_id === before.matter_id ? [] : await unknownMatter(deps, tenantId, matter_id)),
  ];
  if (faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
}

const HINT = 'Correct it, or send allow_unknown: true for a hold over what is still to come.';

async function unknownOf(
  name: 'event_ids' | 'document_ids',
  kind: 'event' | 'document',
  scope: HoldScope,
  before: HoldScope,
  knownAmong: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<FieldFault[]> {
  const listed = scope[name] ?? [];
  const earlier = new Set(before[name] ?? []);
  const asked = listed.filter((id) => !earlier.has(id) && isIdOf(kind, id));
  const known = asked.length === 0 ? new Set<string>() : await knownAmong(asked);
  return listed.flatMap((id, i) =>
    earlier.has(id) || known.has(id)
      ? []
      : [fault(`/scope/${name}/${i}`, 'unknown', `No ${kind} has this identifier. ${HINT}`)],
  );
}

/** A matter may be a legal matter of the service, or a name of the caller's own that documents carry. */
async function unknownMatter(deps: KnownRecordsDeps, tenantId: TenantId, matterId: string): Promise<FieldFault[]> {
  const isMatter = isIdOf('matter', matterId) && (await deps.tiedRecords.of(tenantId, 'matter', [matterId])).length > 0;
  if (isMatter) return [];
  const query = { limit: 1, order: 'asc', cursor: undefined, fromMs: undefined, toMs: undefined } as const;
  const { items } = await deps.documents(tenantId).page({ ...query, where: { matter_id: matterId } });
  return items.length > 0 ? [] : [fault('/matter_id', 'unknown', `No legal matter has this identifier. ${HINT}`)];
}
