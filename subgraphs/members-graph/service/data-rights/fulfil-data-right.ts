import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import type { ErasureState } from '../../../../shared/contracts/erasures.js';
import { fault, problem } from '../../../../shared/errors/problem.js';
import type { Fulfilment, StoredDataRight } from '../ports/data-right-store.js';
import type { DataRightDeps } from './data-right-deps.js';
import { doWork } from './do-work.js';
import { amendingEvents } from './judge-events.js';
import { fixedAnswer } from './list-disclosures.js';
import { refused, type StepGiven, stepOf, toldOtherwise } from './step-data-right.js';

/** What is amended, and what now stands beside it. */
export interface AmendmentGiven {
  readonly event_ids?: readonly string[];
  readonly correction_event_ids?: readonly string[];
}

/**
 * Ends a request with what was asked for. Nothing of the ledger is written anew: an amendment links.
 *
 * @throws NOT_FOUND, VALIDATION_ERROR, INVALID_TRANSITION, NOT_SEALED before the bundle of an access is sealed,
 *   LEGAL_HOLD_ACTIVE and CONFLICT where something stays that was to be erased
 */
export async function fulfilDataRight(
  deps: DataRightDeps,
  context: RequestContext,
  { amendment, ...given }: StepGiven & { readonly amendment: AmendmentGiven },
): Promise<StoredDataRight> {
  const tenantId = authorise(context, 'data-rights:write');
  // What came since the last look is looked at before it is said that nothing is left.
  await doWork(deps, { tenant_id: tenantId, data_right_id: given.id, work: 'FULFILMENT' });
  return stepOf(
    deps,
    context,
    { ...given, action: 'fulfil' },
    {
      change: async (standing) => {
        refuseMisplaced(standing, amendment);
        const fulfilment = await done(deps, context, standing, amendment);
        return { ...standing, fulfilment, is_overdue_told: false, next_look_at: null };
      },
      effects: (changed, standing) => toldOtherwise(deps, changed, standing),
    },
  );
}

function refuseMisplaced({ right }: StoredDataRight, amendment: AmendmentGiven): void {
  const names = ['event_ids', 'correction_event_ids'] as const;
  const faults =
    right === 'AMENDMENT'
      ? names
          .filter((name) => amendment[name] === undefined)
          .map((name) => fault(`/${name}`, 'required', 'Is required.'))
      : names
          .filter((name) => amendment[name] !== undefined)
          .map((name) => fault(`/${name}`, 'right', 'Is told for an AMENDMENT alone.'));
  if (faults.length > 0) throw refused(...faults);
}

async function done(
  deps: DataRightDeps,
  context: RequestContext,
  standing: StoredDataRight,
  { event_ids = [], correction_event_ids = [] }: AmendmentGiven,
): Promise<Fulfilment | null> {
  const { tenant_id, fulfilment } = standing;
  switch (standing.right) {
    case 'ACCESS': {
      const bundleId = fulfilment?.access?.bundle_id ?? '';
      const status = await deps.bundleOrders.statusOf(tenant_id, bundleId);
      if (status !== 'SEALED') throw problem('NOT_SEALED', { extra: { bundle_id: bundleId, bundle_status: status } });
      return fulfilment;
    }
    case 'AMENDMENT': {
      const named = [
        ['/event_ids', event_ids],
        ['/correction_event_ids', correction_event_ids],
      ] as const;
      await amendingEvents(deps, context, standing, named);
      return { amendment: { ...fulfilment?.amendment, event_ids, correction_event_ids } };
    }
    case 'RESTRICTION':
      if ((await deps.consents(tenant_id).get(fulfilment?.restriction?.consent_id ?? '')) === null) {
        throw problem('CONFLICT', { message: 'The restriction is not in force yet; try again.' });
      }
      return fulfilment;
    case 'ACCOUNTING_OF_DISCLOSURES': {
      const accounting = fulfilment?.accounting;
      if (accounting === undefined) throw problem('CONFLICT');
      return { accounting: { ...accounting, answer: await fixedAnswer(deps, standing, accounting) } };
    }
    case 'ERASURE':
      refuseLeft(fulfilment?.erasure);
      return fulfilment;
  }
}

function refuseLeft(erasure: ErasureState | undefined): void {
  if (erasure?.complete !== true) {
    throw problem('CONFLICT', { message: 'The erasure is still under way; try again.' });
  }
  const { refused: left } = erasure;
  if (left.length === 0) return;
  const holdIds = left.flatMap(({ hold_ids = [] }) => hold_ids);
  const extra = { refused: left };
  if (holdIds.length > 0) throw problem('LEGAL_HOLD_ACTIVE', { extra });
  throw problem('CONFLICT', { message: 'Not everything may be erased; see refused.', extra });
}
