import { graphRoute } from '../../graph-route.js';

export const listLeads = graphRoute({
  method: 'GET',
  path: '/v1/leads',
  area: 'leads',
  scope: 'leads:read',
  tenant: 'required',
  summary: 'List leads',
  operation: { name: 'ListLeads', field: 'leads' },
  answer: 'One page of leads, newest first unless told.',
});
