import { describeUnexpected } from '../../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../../shared/telemetry/logger.js';
import type { DueDataRight, DueDataRights } from '../ports/data-right-store.js';
import type { DataRightDeps } from './data-right-deps.js';
import { doWork, noteOverdue } from './do-work.js';

export interface ClockDeps extends DataRightDeps {
  readonly due: DueDataRights;
  readonly logger: Logger;
}

/**
 * One round: requests that are past their day, and erasures that have something left to look at. One that cannot be done keeps
 * no other waiting; the round counts as failed all the same.
 */
export async function dataRightsClock(deps: ClockDeps, signal: AbortSignal): Promise<void> {
  const now = new Date(deps.clock.nowMs());
  let failure: unknown;
  const each = async (due: readonly DueDataRight[], work: (one: DueDataRight) => Promise<unknown>): Promise<void> => {
    for (const one of due) {
      if (signal.aborted) return;
      try {
        await work(one);
      } catch (error) {
        deps.logger.error(describeUnexpected(error), 'a data right could not be looked at');
        failure ??= error;
      }
    }
  };
  await each(await deps.due.overdue(now), (one) => noteOverdue(deps, one));
  await each(await deps.due.toLookAt(now), ({ tenant_id, id }) =>
    doWork(deps, { tenant_id, data_right_id: id, work: 'FULFILMENT' }),
  );
  if (failure !== undefined) throw failure;
}
