import { graphRoute } from '../../graph-route.js';

export const getDashboard = graphRoute({
  method: 'GET',
  path: '/v1/dashboard',
  area: 'dashboard',
  scope: 'dashboard:read',
  tenant: 'required',
  summary: 'Count what there is',
  description: 'from ≤ time < to; everything when neither is given. An operator also sees how many tenants there are.',
  operation: { name: 'GetDashboard', field: 'dashboard' },
  answer: 'Counters and series.',
});
