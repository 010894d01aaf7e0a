import type { EventPointersJudged, EventRedactionOrder, EventRendition } from '../../../shared/contracts/redactions.js';
import { problem } from '../../../shared/errors/problem.js';
import { rebuildRecord } from '../../../shared/evidence/record.js';
import { redactedLine, verifyRedactedLine } from '../../../shared/evidence/redacted-line.js';
import { expandPointers } from '../../../shared/evidence/redaction-pointers.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { hideFromSearch, type IndexDeps } from './index-events.js';
import type { RedactionStore } from './ports/redaction-store.js';
import { headerOf, recordOf } from './read-events.js';
import type { TenantContext } from './tenant-context.js';

export interface RedactDeps extends IndexDeps {
  readonly redactions: RedactionStore;
}

const NOTHING = { leaves: [], unknown: [], undisclosable: [], member_id: null } as const;

/** What the pointers would hide of an event. @throws INTEGRITY_FAILURE */
export async function judgePointers(
  tenant: TenantContext,
  eventId: string,
  pointers: readonly string[],
): Promise<EventPointersJudged> {
  const row = isIdOf('event', eventId) ? await tenant.ledger.byEventId(eventId) : null;
  if (row === null) return { status: 'NOT_FOUND', ...NOTHING };
  if (row.record === undefined || row.seed === undefined) return { status: 'DISPOSED', ...NOTHING };
  if (isReservedSourceSystem(row.source_system)) return { status: 'RESERVED', ...NOTHING };
  const { worm_sha256: _, ...members } = recordOf(row);
  const { hidden, unknown, undisclosable } = expandPointers(rebuildRecord(members).leaves, pointers);
  const { member_id } = members as JsonObject;
  return {
    status: 'READY',
    leaves: hidden,
    unknown,
    undisclosable,
    member_id: typeof member_id === 'string' ? member_id : null,
  };
}

/**
 * Makes the event's redacted line, and keeps nothing. It is held against the header before it is given out: a rendition that
 * does not prove would be found out years later. @throws NOT_FOUND, DISPOSED, INTEGRITY_FAILURE
 */
export async function renderRedaction(tenant: TenantContext, order: EventRedactionOrder): Promise<EventRendition> {
  const row = await tenant.ledger.byEventId(order.event_id);
  if (row === null) throw problem('NOT_FOUND');
  const { record, seed } = row;
  if (record === undefined || seed === undefined) throw problem('DISPOSED');
  recordOf(row);
  const { line } = redactedLine({ record, seed, pointers: order.pointers, redactionId: order.redaction_id });
  const faults = verifyRedactedLine(JSON.parse(line), { header: headerOf(row), entryHash: row.entry_hash });
  if (faults.length > 0) throw problem('INTEGRITY_FAILURE', { internal: `a redacted line: ${faults.join('; ')}` });
  return { line };
}

/**
 * Hides leaves of an event from readers without `documents:unredacted`, and from every search. Reads first, so that no
 * search shows what a read no longer does; repeating it changes nothing.
 */
export async function hideEvent(deps: RedactDeps, tenant: TenantContext, order: EventRedactionOrder): Promise<void> {
  const row = await tenant.ledger.byEventId(order.event_id);
  if (row === null) throw problem('NOT_FOUND');
  const { event_id, redaction_id, ordinal, pointers } = order;
  await deps.redactions(tenant.tenantId).put(event_id, { redaction_id, ordinal, pointers });
  await hideFromSearch(deps, tenant.tenantId, { event_id, place: row._id, pointers });
}
