import { graphRoute } from '../../graph-route.js';

export const sourceFeedHeartbeat = graphRoute({
  method: 'POST',
  path: '/v1/source-feeds/{id}/heartbeat',
  area: 'source-feeds',
  scope: 'feeds:write',
  tenant: 'required',
  summary: 'Send a heartbeat',
  description: 'For a source that has nothing to send. A stale feed is healthy again, and its exception resolved.',
  operation: { name: 'SourceFeedHeartbeat', field: 'sourceFeedHeartbeat' },
  params: { id: 'feed_id' },
  body: 'free',
  answer: 'The feed.',
});
