import { type RouteArea, routeTable } from '../route-table.js';

const DASHBOARD: RouteArea = { area: 'dashboard', reads: 'dashboard:read' };

export const dashboardRoutes = routeTable(DASHBOARD, {
  'GET /v1/dashboard': {
    summary: 'Read the counters of the dashboard',
    description: 'from ≤ time < to, or all time without a window. An operator also sees the number of tenants.',
    operation: { name: 'GetDashboard', field: 'dashboard' },
    answer: 'Counters and series.',
  },
});

const JOBS: RouteArea = { area: 'jobs', reads: 'admin', tenant: 'optional' };

export const jobRoutes = routeTable(JOBS, {
  'GET /v1/jobs': {
    summary: 'Read the state of background work',
    description:
      "Read-only. A tenant's key counts the tenant's own rows. An operator's key that names no tenant sees the deployment, its recurring work and classes of errors too.",
    operation: { name: 'ListJobs', field: 'jobs' },
    answer: 'Queues and recurring work.',
  },
});
