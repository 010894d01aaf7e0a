import type { Clock } from '../../../shared/clock/clock.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { LedgerStore } from '../append/index.js';
import type { TreeStore } from '../transparency/index.js';
import type { CheckpointStamps } from './ports.js';

const DAY_MS = 24 * 3_600_000;

interface AskDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: Pick<LedgerStore, 'tenantIds'>;
  readonly trees: TreeStore;
  readonly stamps: CheckpointStamps;
}

/** Asks for a time-stamp of each tenant's latest checkpoint, once a day where there is a new one. */
export async function askForStamps(deps: AskDeps, signal: AbortSignal): Promise<void> {
  for await (const tenantId of deps.store.tenantIds()) {
    if (signal.aborted) return;
    try {
      await askFor(deps, tenantId);
    } catch (error) {
      // A damaged checkpoint of one tenant does not keep the others from theirs.
      deps.logger.error({ ...describeUnexpected(error), tenant_id: tenantId }, 'no time-stamp was asked for');
    }
  }
}

async function askFor({ clock, trees, stamps }: AskDeps, tenantId: string): Promise<void> {
  const [latest, newest] = await Promise.all([trees(tenantId).latestCheckpoint(), stamps.newest(tenantId)]);
  if (latest === null || latest.checkpoint_id === newest?._id) return;
  const nowMs = clock.nowMs();
  if (newest !== null && nowMs - newest.requested_at.getTime() < DAY_MS) return;
  await stamps.ask(tenantId, latest, new Date(nowMs));
}
