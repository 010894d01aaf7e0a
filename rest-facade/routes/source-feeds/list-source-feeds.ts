import { graphRoute } from '../../graph-route.js';

export const listSourceFeeds = graphRoute({
  method: 'GET',
  path: '/v1/source-feeds',
  area: 'source-feeds',
  scope: 'feeds:read',
  tenant: 'required',
  summary: 'List source feeds',
  operation: { name: 'ListSourceFeeds', field: 'sourceFeeds' },
  answer: 'One page of feeds, newest first unless told.',
});
