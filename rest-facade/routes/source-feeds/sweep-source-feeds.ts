import { graphRoute } from '../../graph-route.js';

export const sweepSourceFeeds = graphRoute({
  method: 'POST',
  path: '/v1/source-feeds/sweep',
  area: 'source-feeds',
  scope: 'feeds:write',
  tenant: 'required',
  summary: 'Find stale feeds now',
  description: 'The same is done every 30 seconds for all tenants.',
  operation: { name: 'SweepSourceFeeds', field: 'sweepSourceFeeds' },
  body: 'free',
  answer: 'What was found.',
});
