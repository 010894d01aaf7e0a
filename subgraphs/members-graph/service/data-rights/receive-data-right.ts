import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { fault, problem } from '../../../../shared/errors/problem.js';
import { type DataRight, dueAt, KEEPING_RIGHTS, type Relationship } from '../../domain/data-rights/data-right.js';
import { isKnown } from '../members/is-known.js';
import type { StoredDataRight } from '../ports/data-right-store.js';
import { timeAt } from '../records/given-times.js';
import { freshRecord, stepped } from '../records/take-step.js';
import { type DataRightDeps, kindOf } from './data-right-deps.js';
import { workOf } from './step-data-right.js';

export interface DataRightGiven {
  readonly member_id: string;
  readonly right: DataRight;
  readonly requester?: { readonly name?: string; readonly relationship: Relationship };
  readonly received_at?: string;
  readonly details?: string;
}

/**
 * Takes a request in. Its clock runs from when it was received, whoever noted it when.
 *
 * @throws NOT_FOUND for somebody of whom nothing is known, VALIDATION_ERROR for a time to come
 */
export async function receiveDataRight(
  deps: DataRightDeps,
  context: RequestContext,
  { member_id, right, requester, details, ...given }: DataRightGiven,
): Promise<StoredDataRight> {
  const tenantId = authorise(context, 'data-rights:write');
  const known = await deps.directory.identityOf(tenantId, member_id);
  if (known === null && !(await isKnown(deps, tenantId, member_id))) throw problem('NOT_FOUND');
  const kind = kindOf(right);
  const fresh = freshRecord(deps, context, kind);
  const received_at = timeAt('/received_at', given.received_at) ?? fresh.created_at;
  if (received_at > fresh.created_at) {
    throw problem('VALIDATION_ERROR', {
      errors: [fault('/received_at', 'future', 'Must not be a time to come.')],
    });
  }
  const due_at = dueAt(received_at);
  const record: StoredDataRight = {
    ...fresh,
    tenant_id: tenantId,
    member_id,
    right,
    status: 'RECEIVED',
    requester: { name: requester?.name ?? null, relationship: requester?.relationship ?? 'SELF' },
    received_at,
    due_at,
    extended_to: null,
    extension_reason: null,
    deadline: due_at,
    verification: null,
    denial_ground: null,
    details: details ?? null,
    fulfilment: null,
    is_overdue_told: false,
    next_look_at: null,
  };
  const rows = deps.dataRights(tenantId);
  // A deletion that runs at this moment either sees the request, or has ended before it is answered.
  const effects = KEEPING_RIGHTS.includes(right) ? [workOf(deps, record, 'PROTECTION')] : [];
  const write = stepped(deps, context, kind, { from: null, record, action: 'receive', effects });
  if ((await rows.insert(write)) === 'written') {
    await rows.relay(write);
    return write.record;
  }
  // Its identifier is taken only when this very request has run before: what it made is the answer.
  const standing = await rows.get(record.id);
  if (standing === null) throw new Error('a fresh data right collided with one of another tenant');
  return standing;
}
