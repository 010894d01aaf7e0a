import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { ErasureState } from '../../../shared/contracts/erasures.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { doWork } from './do-work.js';
import type { Fulfilment, StoredDataRight } from './ports.js';
import { fixedAnswer } from './read-data-rights.js';
import {
  type DataRightDeps,
  invalid,
  requireOwnEvents,
  resolvingOverdue,
  type StepRequest,
  takeStep,
} from './steps.js';

/** The amended events and their corrections. */
interface Amendment {
  readonly event_ids?: readonly string[];
  readonly correction_event_ids?: readonly string[];
}

/**
 * Fulfils a request. An amendment links events; the ledger is never rewritten.
 *
 * @throws NOT_FOUND, VALIDATION_ERROR, INVALID_TRANSITION, NOT_SEALED until the bundle of an access is sealed,
 *   LEGAL_HOLD_ACTIVE and CONFLICT if records of an erasure remain
 */
export async function fulfilDataRight(
  deps: DataRightDeps,
  context: RequestContext,
  { amendment, ...request }: StepRequest & { readonly amendment: Amendment },
): Promise<StoredDataRight> {
  const tenantId = authorise(context, 'data-rights:write');
  // Records may have arrived since the last run of an erasure.
  await doWork(deps, { tenant_id: tenantId, data_right_id: request.id, work: 'FULFILMENT' });
  return takeStep(deps, context, request, 'fulfil', {
    change: async (before) => {
      refuseMisplaced(before, amendment);
      const fulfilment = await fulfilmentOf(deps, context, before, amendment);
      return { fulfilment, is_overdue_told: false, next_look_at: null };
    },
    pending: resolvingOverdue,
  });
}

function refuseMisplaced({ right }: StoredDataRight, amendment: Amendment): void {
  const names = ['event_ids', 'correction_event_ids'] as const;
  const faults =
    right === 'AMENDMENT'
      ? names
          .filter((name) => amendment[name] === undefined)
          .map((name) => fault(`/${name}`, 'required', 'Is required.'))
      : names
          .filter((name) => amendment[name] !== undefined)
          .map((name) => fault(`/${name}`, 'right', 'Is allowed for an AMENDMENT only.'));
  if (faults.length > 0) throw invalid(...faults);
}

async function fulfilmentOf(
  deps: DataRightDeps,
  context: RequestContext,
  before: StoredDataRight,
  { event_ids = [], correction_event_ids = [] }: Amendment,
): Promise<Fulfilment | null> {
  const { tenant_id, fulfilment } = before;
  switch (before.right) {
    case 'ACCESS': {
      const bundleId = fulfilment?.access?.bundle_id ?? '';
      const status = await deps.bundleOrders.statusOf(tenant_id, bundleId);
      if (status !== 'SEALED') throw problem('NOT_SEALED', { extra: { bundle_id: bundleId, bundle_status: status } });
      return fulfilment;
    }
    case 'AMENDMENT':
      await requireOwnEvents(deps, context, before, [
        ...placesIn('/event_ids', event_ids),
        ...placesIn('/correction_event_ids', correction_event_ids),
      ]);
      return { amendment: { ...fulfilment?.amendment, event_ids, correction_event_ids } };
    case 'RESTRICTION':
      if ((await deps.consents(tenant_id).get(fulfilment?.restriction?.consent_id ?? '')) === null) {
        throw problem('CONFLICT', { message: 'The restriction is not in force yet; retry.' });
      }
      return fulfilment;
    case 'ACCOUNTING_OF_DISCLOSURES': {
      const accounting = fulfilment?.accounting;
      if (accounting === undefined) throw problem('CONFLICT');
      return { accounting: { ...accounting, answer: await fixedAnswer(deps, before, accounting) } };
    }
    case 'ERASURE':
      requireErased(fulfilment?.erasure);
      return fulfilment;
  }
}

function requireErased(erasure: ErasureState | undefined): void {
  if (erasure?.complete !== true) throw problem('CONFLICT', { message: 'The erasure is still running; retry.' });
  const { refused } = erasure;
  if (refused.length === 0) return;
  const extra = { refused };
  if (refused.some(({ hold_ids = [] }) => hold_ids.length > 0)) throw problem('LEGAL_HOLD_ACTIVE', { extra });
  throw problem('CONFLICT', { message: 'Some records may not be erased; see refused.', extra });
}

/** Each id with its path. */
const placesIn = (path: string, eventIds: readonly string[]) =>
  eventIds.map((id, i) => [`${path}/${i}`, [id]] as const);
