import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { forWork } from '../../../shared/ids/work.js';
import { stepsOf } from '../../../shared/records/steps.js';
import { ANY_PURPOSE, purposeOf } from '../consent/domain.js';
import { isKnown } from '../members/index.js';
import { parseTime } from '../records/index.js';
import { accountedFrom, type DataRight, dueAt, KEEPING_RIGHTS, type Relationship } from './domain.js';
import type { Fulfilment, StoredDataRight } from './ports.js';
import { type DataRightDeps, invalid, kindOf, type StepRequest, takeStep, withWork } from './steps.js';

interface DataRightRequest {
  readonly member_id: string;
  readonly right: DataRight;
  readonly requester?: { readonly name?: string; readonly relationship: Relationship };
  readonly received_at?: string;
  readonly details?: string;
}

/**
 * Records a request. Its deadline counts from `received_at`.
 *
 * @throws NOT_FOUND for an unknown member, VALIDATION_ERROR for a future time
 */
export async function receiveDataRight(
  deps: DataRightDeps,
  context: RequestContext,
  { member_id, right, requester, details, ...given }: DataRightRequest,
): Promise<StoredDataRight> {
  const tenantId = authorise(context, 'data-rights:write');
  const known = await deps.directory.identityOf(tenantId, member_id);
  if (known === null && !(await isKnown(deps, tenantId, member_id))) throw problem('NOT_FOUND');
  const members = (_id: string, at: Date) => {
    const received_at = parseTime('/received_at', given.received_at) ?? at;
    if (received_at > at) throw invalid(fault('/received_at', 'future', 'Must not be in the future.'));
    const due_at = dueAt(received_at);
    return {
      member_id,
      right,
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
    } as const;
  };
  return stepsOf(kindOf(right), deps, context, deps.dataRights(tenantId)).create(members, {
    action: 'receive',
    // A running deletion either sees the request or ends before the request is answered.
    pending: KEEPING_RIGHTS.includes(right) ? withWork('PROTECTION') : undefined,
  });
}

/** A restriction; by default of every purpose, all records and everyone. */
interface Restriction {
  readonly purpose?: string;
  readonly categories?: readonly string[];
  readonly actors?: readonly string[];
}

/**
 * Starts or continues the work of a request: a bundle for ACCESS, a consent for RESTRICTION, disposal for ERASURE. The step
 * stores what to do; the work follows at once, or after a crash.
 *
 * @throws NOT_FOUND, VALIDATION_ERROR, INVALID_TRANSITION, CONFLICT while an earlier bundle may still be sealed
 */
export const startDataRight = (
  deps: DataRightDeps,
  context: RequestContext,
  { restriction, ...request }: StepRequest & { readonly restriction: Restriction },
): Promise<StoredDataRight> =>
  takeStep(deps, context, request, 'start', {
    change: async (before, at) => {
      refuseMisplaced(before, restriction);
      const fulfilment = await startedWork(deps, context, before, restriction);
      return { fulfilment, next_look_at: before.right === 'ERASURE' ? at : null };
    },
    pending: withWork('FULFILMENT'),
  });

function refuseMisplaced({ right }: StoredDataRight, restriction: Restriction): void {
  if (right === 'RESTRICTION') return;
  const faults = Object.keys(restriction).map((name) =>
    fault(`/${name}`, 'right', 'Is allowed for a RESTRICTION only.'),
  );
  if (faults.length > 0) throw invalid(...faults);
}

async function startedWork(
  deps: DataRightDeps,
  context: RequestContext,
  { right, received_at, fulfilment, tenant_id }: StoredDataRight,
  { purpose = ANY_PURPOSE, categories = [], actors = [] }: Restriction,
): Promise<Fulfilment | null> {
  const { ids } = forWork(deps, context, 'start-data-right');
  switch (right) {
    case 'ACCESS': {
      const earlier = fulfilment?.access?.bundle_id;
      if (earlier !== undefined && (await deps.bundleOrders.statusOf(tenant_id, earlier)) !== 'FAILED') {
        throw problem('CONFLICT', {
          message: 'The bundle of this request has not failed; wait for it.',
          extra: { bundle_id: earlier },
        });
      }
      return { access: { bundle_id: ids.next('bundle') } };
    }
    case 'RESTRICTION':
      return { restriction: { consent_id: ids.next('consent'), purpose: purposeOf(purpose), categories, actors } };
    case 'ACCOUNTING_OF_DISCLOSURES':
      return { accounting: { from: accountedFrom(received_at), to: received_at, answer: null } };
    case 'ERASURE':
      return fulfilment ?? { erasure: { complete: false, disposed: { events: 0, documents: 0 }, refused: [] } };
    case 'AMENDMENT':
      return fulfilment;
  }
}
