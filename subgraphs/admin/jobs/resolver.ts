import { Ctx, Query, Resolver } from 'type-graphql';
import { isOperator, type RequestContext, requireScope, requireTenant } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { Jobs } from '../../../shared/jobs/jobs.js';
import type { JobsReport, QueueReport, RecurringReport } from '../../../shared/jobs/jobs-report.js';
import { type JobQueue, JobsView, type RecurringJob } from './schema.js';

interface JobsViewDeps {
  readonly jobs: Pick<Jobs, 'report'>;
}

/** @throws FORBIDDEN, TENANT_REQUIRED. Operators without a tenant see the deployment, other callers one tenant. */
function readJobs(deps: JobsViewDeps, context: RequestContext): Promise<JobsReport> {
  requireScope(context, 'admin');
  const everything = context.tenantId === null && isOperator(context.principal);
  return deps.jobs.report(everything ? null : requireTenant(context));
}

const time = (at: Date | null): string | null => (at === null ? null : isoTime(at.getTime()));

const shownQueue = ({ oldest_due_at, next_at, last_run_at, last_error_at, ...rest }: QueueReport): JobQueue => ({
  ...rest,
  oldest_due_at: time(oldest_due_at),
  next_at: time(next_at),
  last_run_at: time(last_run_at),
  last_error_at: time(last_error_at),
});

const shownRecurring = (report: RecurringReport): RecurringJob => ({
  ...report,
  last_run_at: time(report.last_run_at),
  last_finished_at: time(report.last_finished_at),
  next_run_at: time(report.next_run_at),
  last_error_at: time(report.last_error_at),
});

@Resolver()
export class JobsResolver {
  readonly #deps: JobsViewDeps;

  constructor(deps: JobsViewDeps) {
    this.#deps = deps;
  }

  @Query(() => JobsView, { description: 'Returns the state of background jobs.' })
  async jobs(@Ctx() context: RequestContext): Promise<JobsView> {
    const { queues, recurring } = await readJobs(this.#deps, context);
    return { queues: queues.map(shownQueue), recurring: recurring.map(shownRecurring) };
  }
}
