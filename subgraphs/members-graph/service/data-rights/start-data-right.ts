import type { RequestContext } from '../../../../shared/auth/context.js';
import { fault, problem } from '../../../../shared/errors/problem.js';
import { forWork } from '../../../../shared/ids/work.js';
import { ANY_PURPOSE, purposeOf } from '../../domain/consent/consent.js';
import { accountedFrom } from '../../domain/data-rights/disclosures.js';
import type { Fulfilment, StoredDataRight } from '../ports/data-right-store.js';
import type { DataRightDeps } from './data-right-deps.js';
import { refused, type StepGiven, stepOf, workOf } from './step-data-right.js';

/** What a restriction is of; of every purpose, all records, and anybody where nothing is told. */
export interface RestrictionGiven {
  readonly purpose?: string;
  readonly categories?: readonly string[];
  readonly actors?: readonly string[];
}

/**
 * Begins what the right needs, or goes on with it: ACCESS has a bundle made, RESTRICTION a consent, ERASURE disposes of what may
 * go. What is to be done is written down with the step, and done by what is written: at once, or after a crash.
 *
 * @throws NOT_FOUND, VALIDATION_ERROR, INVALID_TRANSITION, CONFLICT while the bundle of before may still be sealed
 */
export const startDataRight = (
  deps: DataRightDeps,
  context: RequestContext,
  { restriction, ...given }: StepGiven & { readonly restriction: RestrictionGiven },
): Promise<StoredDataRight> =>
  stepOf(
    deps,
    context,
    { ...given, action: 'start' },
    {
      change: async (standing) => {
        refuseMisplaced(standing, restriction);
        const fulfilment = await begun(deps, context, standing, restriction);
        const next_look_at = standing.right === 'ERASURE' ? new Date(deps.clock.nowMs()) : null;
        return { ...standing, fulfilment, next_look_at };
      },
      effects: (changed) => [workOf(deps, changed, 'FULFILMENT')],
    },
  );

function refuseMisplaced({ right }: StoredDataRight, restriction: RestrictionGiven): void {
  if (right === 'RESTRICTION') return;
  const faults = Object.keys(restriction).map((name) => fault(`/${name}`, 'right', 'Is told for a RESTRICTION alone.'));
  if (faults.length > 0) throw refused(...faults);
}

async function begun(
  deps: DataRightDeps,
  context: RequestContext,
  standing: StoredDataRight,
  { purpose = ANY_PURPOSE, categories = [], actors = [] }: RestrictionGiven,
): Promise<Fulfilment | null> {
  const { ids } = forWork(deps, context, 'start-data-right');
  switch (standing.right) {
    case 'ACCESS':
      await refuseSecondBundle(deps, standing);
      return { access: { bundle_id: ids.next('bundle') } };
    case 'RESTRICTION':
      return { restriction: { consent_id: ids.next('consent'), purpose: purposeOf(purpose), categories, actors } };
    case 'ACCOUNTING_OF_DISCLOSURES': {
      const { received_at } = standing;
      return { accounting: { from: accountedFrom(received_at), to: received_at, answer: null } };
    }
    case 'ERASURE':
      return (
        standing.fulfilment ?? { erasure: { complete: false, disposed: { events: 0, documents: 0 }, refused: [] } }
      );
    case 'AMENDMENT':
      return standing.fulfilment;
  }
}

/** Another bundle is made in place of one that failed, and of no other. */
async function refuseSecondBundle({ bundleOrders }: DataRightDeps, standing: StoredDataRight): Promise<void> {
  const bundleId = standing.fulfilment?.access?.bundle_id;
  if (bundleId === undefined) return;
  if ((await bundleOrders.statusOf(standing.tenant_id, bundleId)) === 'FAILED') return;
  throw problem('CONFLICT', {
    message: 'The bundle has not failed: another one is not made.',
    extra: { bundle_id: bundleId },
  });
}
