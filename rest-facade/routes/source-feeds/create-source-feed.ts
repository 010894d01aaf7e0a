import { graphRoute } from '../../graph-route.js';

export const createSourceFeed = graphRoute({
  method: 'POST',
  path: '/v1/source-feeds',
  area: 'source-feeds',
  scope: 'feeds:write',
  tenant: 'required',
  summary: 'Register a source feed',
  description: 'A source system has one feed. From now on it is expected; its events count as heartbeats.',
  operation: { name: 'CreateSourceFeed', field: 'createSourceFeed' },
  body: { argument: 'input' },
  bodyExample: { source_system: 'um-core', format: 'x12', expected_interval_seconds: 3600, grace_seconds: 300 },
  answer: 'The feed, HEALTHY.',
});
