import { graphRoute } from '../../graph-route.js';

export const getSourceFeed = graphRoute({
  method: 'GET',
  path: '/v1/source-feeds/{id}',
  area: 'source-feeds',
  scope: 'feeds:read',
  tenant: 'required',
  summary: 'Read one source feed',
  operation: { name: 'GetSourceFeed', field: 'sourceFeed' },
  params: { id: 'feed_id' },
  answer: 'The feed with its latest changes.',
});
