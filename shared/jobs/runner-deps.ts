import type { Clock } from '../clock/clock.js';
import type { ExceptionDesk } from '../contracts/exceptions.js';
import type { Logger } from '../telemetry/logger.js';
import type { QueueCounts } from './queue-counts.js';

/** Shared dependencies of the parts of one queue. */
export interface RunnerDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly exceptions: ExceptionDesk;
  readonly counts: QueueCounts;
  /** Names this process in leases and wake-ups. */
  readonly owner: string;
  /** Rows of these groups are free for other processes. */
  readonly wakeOthers: (groups: Iterable<string>) => void;
}
