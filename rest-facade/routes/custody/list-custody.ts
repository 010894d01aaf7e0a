import { graphRoute } from '../../graph-route.js';

export const listCustody = graphRoute({
  method: 'GET',
  path: '/v1/custody',
  area: 'custody',
  scope: 'custody:read',
  tenant: 'required',
  summary: 'List the chain of custody',
  description:
    'Of one event, document, bundle, member, hold or raw body, or of the whole tenant. Reading it writes none.',
  operation: { name: 'ListCustody', field: 'custody' },
  answer: 'One page of entries, oldest first unless told.',
});
