import type {
  AppliedEventRedaction,
  EventPointersJudged,
  EventRedactionOrder,
  EventRendition,
} from '../../../shared/contracts/redactions.js';
import { problem } from '../../../shared/errors/problem.js';
import { rebuildRecord } from '../../../shared/evidence/record.js';
import { redactedLine, verifyRedactedLine } from '../../../shared/evidence/redacted-line.js';
import { expandPointers } from '../../../shared/evidence/redaction-pointers.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { TenantContext } from '../append/index.js';
import { headerOf, recordOf } from '../events/index.js';
import type { RowProofs } from '../row-proofs/index.js';
import { hideFromSearch, type IndexDeps } from '../search/index.js';
import type { RedactionStore } from './ports.js';

export interface RedactDeps extends IndexDeps {
  readonly redactions: RedactionStore;
  readonly rowProofs: RowProofs;
}

const NOTHING = { leaves: [], unknown: [], undisclosable: [], member_id: null } as const;

/**
 * Returns what the pointers would hide of an event.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function pointersOf(
  { rowProofs }: Pick<RedactDeps, 'rowProofs'>,
  tenant: TenantContext,
  eventId: string,
  pointers: readonly string[],
): Promise<EventPointersJudged> {
  const row = isIdOf('event', eventId) ? await tenant.ledger.byEventId(eventId) : null;
  if (row === null) return { status: 'NOT_FOUND', ...NOTHING };
  const [proof] = await rowProofs(tenant, [row]);
  if (!proof || proof.disposalId !== null) return { status: 'DISPOSED', ...NOTHING };
  if (isReservedSourceSystem(row.source_system)) return { status: 'RESERVED', ...NOTHING };
  const { worm_sha256: _, ...rest } = recordOf(row);
  const members: JsonObject = rest;
  const { hidden, unknown, undisclosable } = expandPointers(rebuildRecord(members).leaves, pointers);
  const { member_id } = members;
  return {
    status: 'READY',
    leaves: hidden,
    unknown,
    undisclosable,
    member_id: typeof member_id === 'string' ? member_id : null,
  };
}

/**
 * Builds the event's redacted line without storing it. Verifies it against the header first, because a rendition
 * without proof would be noticed only years later.
 *
 * @throws NOT_FOUND, DISPOSED, INTEGRITY_FAILURE
 */
export async function renderRedaction(
  { rowProofs }: Pick<RedactDeps, 'rowProofs'>,
  tenant: TenantContext,
  order: EventRedactionOrder,
): Promise<EventRendition> {
  const row = await tenant.ledger.byEventId(order.event_id);
  if (row === null) throw problem('NOT_FOUND');
  const [proof] = await rowProofs(tenant, [row]);
  if (!proof || proof.disposalId !== null) throw problem('DISPOSED');
  recordOf(row);
  const { record, seed } = row;
  if (record === undefined || seed === undefined) throw problem('INTEGRITY_FAILURE');
  const { line } = redactedLine({ record, seed, pointers: order.pointers, redactionId: order.redaction_id });
  const faults = verifyRedactedLine(JSON.parse(line), { header: headerOf(row), entryHash: row.entry_hash });
  if (faults.length > 0) throw problem('INTEGRITY_FAILURE', { internal: `a redacted line: ${faults.join('; ')}` });
  return { line };
}

/**
 * Hides leaves of an event from readers without `documents:unredacted` and from every search. Updates reads first, so
 * that no search shows a field that reads hide. Repeating it changes nothing.
 */
export async function hideEvent(deps: RedactDeps, tenant: TenantContext, order: AppliedEventRedaction): Promise<void> {
  const row = await tenant.ledger.byEventId(order.event_id);
  if (row === null) throw problem('NOT_FOUND');
  const { event_id, redaction_id, ordinal, pointers, details } = order;
  await deps.redactions(tenant.tenantId).put(event_id, { redaction_id, ordinal, pointers }, details);
  await hideFromSearch(deps, tenant.tenantId, { event_id, place: row._id, pointers });
}
