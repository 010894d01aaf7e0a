import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { type JudgeDeps, judge } from './judge-links.js';

export interface DueDeps extends JudgeDeps {
  readonly logger: Pick<Logger, 'error'>;
}

const AT_ONCE = 200;
/** One that cannot be judged holds up nobody else's. */
const AGAIN_AFTER_MS = 3_600_000;

/** Judges what has waited long enough: remittances whose claim has not come, and requests that nobody has decided. */
export async function judgeDue(deps: DueDeps, signal: AbortSignal): Promise<void> {
  for (;;) {
    const due = await deps.links.due(deps.clock.nowMs(), AT_ONCE);
    for (const row of due) {
      if (signal.aborted) return;
      try {
        await judge(deps, row);
      } catch (error) {
        deps.logger.error(
          { ...describeUnexpected(error), event_id: row.event_id },
          'an event could not be judged by its links',
        );
        const due_at = new Date(deps.clock.nowMs() + AGAIN_AFTER_MS);
        await deps.links.forTenant(row.tenant_id).wait(row, { ...row, due_at });
      }
    }
    if (due.length < AT_ONCE) return;
  }
}
