import { graphRoute } from '../../graph-route.js';

export const listJobs = graphRoute({
  method: 'GET',
  path: '/v1/jobs',
  area: 'jobs',
  scope: 'admin',
  tenant: 'optional',
  summary: 'See where the work beside requests stands',
  description:
    "Read-only. A tenant's key counts the tenant's own rows. An operator's key that names no tenant sees the deployment, its recurring work and classes of errors too.",
  operation: { name: 'ListJobs', field: 'jobs' },
  answer: 'Queues, and recurring work.',
});
