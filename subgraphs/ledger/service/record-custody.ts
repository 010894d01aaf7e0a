import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { CUSTODY_ACTIONS, type CustodyEntry } from '../../../shared/contracts/custody.js';
import { custodyActorOf, custodySystemEntry } from '../../../shared/custody/custody-entry.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { idTimeMs } from '../../../shared/ids/ids.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { type IngestDeps, ingestEvents } from './ingest-events.js';
import { type CustodyView, custodyView } from './read-custody.js';
import type { TenantContext } from './tenant-context.js';

export type ManualCustody = Omit<CustodyEntry, 'custody_id' | 'actor' | 'at' | 'request_id'> & {
  readonly atMs?: number | undefined;
};

/**
 * Records what somebody did outside the service; who records it is the actor. The same request run again after a crash is
 * the same entry.
 *
 * @throws VALIDATION_ERROR for an action that is the service's own and for a time to come
 */
export async function recordCustody(
  deps: IngestDeps & WorkDeps,
  tenant: TenantContext,
  context: RequestContext,
  { atMs, ...members }: ManualCustody,
): Promise<CustodyView> {
  if (CUSTODY_ACTIONS[members.action].recorded !== 'MANUAL') {
    const message = 'The service records this act itself.';
    throw problem('VALIDATION_ERROR', { errors: [fault('/action', 'automatic', message)] });
  }
  if (atMs !== undefined && atMs > deps.clock.nowMs()) {
    throw problem('VALIDATION_ERROR', { errors: [fault('/at', 'future', 'Must not be a time to come.')] });
  }
  const custodyId = forWork(deps, context, 'record-custody').ids.next('custody');
  // The time of the identifier is that of the first attempt, so that a second one makes the same entry.
  const at = isoTime(atMs ?? idTimeMs(custodyId));
  const entry = { ...members, actor: custodyActorOf(context), at, request_id: context.requestId };
  return appendCustody(deps, tenant, custodyId, context.workId === null ? entry : withoutRequest(entry));
}

/** Another attempt comes under another request id, and must still be the same entry. */
const withoutRequest = ({ request_id: _, ...entry }: CustodyEntry): CustodyEntry => entry;

async function appendCustody(
  deps: IngestDeps,
  tenant: TenantContext,
  custodyId: string,
  entry: CustodyEntry,
): Promise<CustodyView> {
  const items = [custodySystemEntry(custodyId, entry)];
  const [result] = (await ingestEvents(deps, tenant, { items, writer: 'SERVICE' })).results;
  if (result?.error?.code === 'PAYLOAD_TOO_LARGE') throw problem('PAYLOAD_TOO_LARGE');
  const row = result?.event_id === undefined ? null : await tenant.ledger.byEventId(result.event_id);
  if (row === null) throw problem('INTERNAL', { internal: `a custody entry was refused: ${result?.error?.code}` });
  return custodyView(row);
}
