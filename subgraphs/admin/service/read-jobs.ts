import { isOperator, type RequestContext, requireScope, requireTenant } from '../../../shared/auth/context.js';
import type { Jobs } from '../../../shared/jobs/jobs.js';
import type { JobsReport } from '../../../shared/jobs/jobs-report.js';

export interface JobsViewDeps {
  readonly jobs: Pick<Jobs, 'report'>;
}

/** @throws FORBIDDEN, TENANT_REQUIRED. An operator who names no tenant sees the deployment; everybody else one tenant. */
export function readJobs(deps: JobsViewDeps, context: RequestContext): Promise<JobsReport> {
  requireScope(context, 'admin');
  const everything = context.tenantId === null && isOperator(context.principal);
  return deps.jobs.report(everything ? null : requireTenant(context));
}
