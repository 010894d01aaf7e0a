import type { BackgroundWork } from '../graph/subgraph.js';
import type { TenantId } from '../ids/tenant.js';
import type { JobsReport } from './jobs-report.js';
import type { QueueSpec, WorkQueue, WorkRow } from './work-queue.js';

/** Work that comes round by the clock, in one process of the deployment at a time. */
export interface RecurringSpec {
  /** `area.verb`, unique in the deployment. */
  readonly name: string;
  readonly description: string;
  readonly everyMs: number;
  /** True where a new deployment has nothing for it yet: the first run then comes after one interval. */
  readonly isFirstRunLater?: boolean;
  /** Idempotent: a crash in the middle brings it again. Ends early when the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Background work: subgraphs register it in `build`, worker processes run it. */
export interface Jobs {
  /** Prepares the collection's indexes. Everybody may wake it; only a process that was started works on it. */
  queue<Row extends WorkRow>(spec: QueueSpec<Row>): Promise<WorkQueue>;
  recurring(spec: RecurringSpec): void;
  /** Reports the state of every queue of the deployment, for all processes; of one tenant's rows, or of all. */
  report(tenantId: TenantId | null): Promise<JobsReport>;
  /** Once, after every subgraph is built, in the roles `all` and `worker`. */
  start(): BackgroundWork;
}
