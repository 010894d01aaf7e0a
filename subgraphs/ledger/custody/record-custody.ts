import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { CUSTODY_ACTIONS, type CustodyEntry } from '../../../shared/contracts/custody.js';
import { custodyActorOf, custodySystemEntry } from '../../../shared/custody/custody-entry.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { idTimeMs } from '../../../shared/ids/ids.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { type IngestDeps, ingestEvents, type TenantContext } from '../append/index.js';
import { type KnownSubjectsDeps, requireKnownSubjects } from './known-subjects.js';
import { custodyView } from './read-custody.js';
import type { CustodyRecord } from './schema.js';

type ManualCustody = Omit<CustodyEntry, 'custody_id' | 'actor' | 'at' | 'request_id'> & {
  readonly atMs?: number | undefined;
  /** The subjects may be unknown to the service. */
  readonly allowUnknown: boolean;
};

/**
 * Records an act outside the service; its recorder is the actor. A retry of the request after a crash makes the same
 * entry.
 *
 * @throws VALIDATION_ERROR for an action of the service itself, a future time and an unknown subject
 */
export async function recordCustody(
  deps: IngestDeps & WorkDeps & KnownSubjectsDeps,
  tenant: TenantContext,
  context: RequestContext,
  { atMs, allowUnknown, ...members }: ManualCustody,
): Promise<CustodyRecord> {
  if (CUSTODY_ACTIONS[members.action].recorded !== 'MANUAL') {
    const message = 'The service records this act itself. Use another action.';
    throw problem('VALIDATION_ERROR', { errors: [fault('/action', 'automatic', message)] });
  }
  if (atMs !== undefined && atMs > deps.clock.nowMs()) {
    throw problem('VALIDATION_ERROR', { errors: [fault('/at', 'future', 'Must not be a future time.')] });
  }
  if (!allowUnknown) await requireKnownSubjects(deps, tenant, [members.subject, ...(members.subjects ?? [])]);
  const custodyId = forWork(deps, context, 'record-custody').ids.next('custody');
  // The identifier has the time of the first attempt, so that a retry makes the same entry.
  const at = isoTime(atMs ?? idTimeMs(custodyId));
  const entry = { ...members, actor: custodyActorOf(context), at, request_id: context.requestId };
  return appendCustody(deps, tenant, custodyId, context.workId === null ? entry : withoutRequest(entry));
}

/** A retry has another request id and must still make the same entry. */
const withoutRequest = ({ request_id: _, ...entry }: CustodyEntry): CustodyEntry => entry;

async function appendCustody(
  deps: IngestDeps,
  tenant: TenantContext,
  custodyId: string,
  entry: CustodyEntry,
): Promise<CustodyRecord> {
  const items = [custodySystemEntry(custodyId, entry)];
  const [result] = (await ingestEvents(deps, tenant, { items, writer: 'SERVICE' })).results;
  if (result?.error?.code === 'PAYLOAD_TOO_LARGE') throw problem('PAYLOAD_TOO_LARGE');
  const row = result?.event_id === undefined ? null : await tenant.ledger.byEventId(result.event_id);
  if (row === null) throw problem('INTERNAL', { internal: `a custody entry was rejected: ${result?.error?.code}` });
  return custodyView(row);
}
