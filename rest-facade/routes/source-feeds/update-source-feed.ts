import { graphRoute } from '../../graph-route.js';

export const updateSourceFeed = graphRoute({
  method: 'PATCH',
  path: '/v1/source-feeds/{id}',
  area: 'source-feeds',
  scope: 'feeds:write',
  tenant: 'required',
  summary: 'Change a source feed, pause it, or end its pause',
  description: 'Absent stays, null takes away. A paused feed never goes stale.',
  operation: { name: 'UpdateSourceFeed', field: 'updateSourceFeed' },
  params: { id: 'feed_id' },
  body: { argument: 'input' },
  bodyExample: { status: 'PAUSED' },
  answer: 'The feed.',
});
