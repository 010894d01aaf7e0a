import { type RouteArea, routeTable } from '../route-table.js';

const SOURCE_FEEDS: RouteArea = { area: 'source-feeds', id: 'feed_id', reads: 'feeds:read', writes: 'feeds:write' };

export const sourceFeedRoutes = routeTable(SOURCE_FEEDS, {
  'POST /v1/source-feeds': {
    summary: 'Register a source feed',
    description:
      'A source system has one feed. Its events count as heartbeats, and a missing heartbeat makes it stale.',
    operation: { name: 'CreateSourceFeed', field: 'createSourceFeed' },
    bodyExample: { source_system: 'um-core', format: 'x12', expected_interval_seconds: 3600, grace_seconds: 300 },
    answer: 'The feed, HEALTHY.',
  },
  'GET /v1/source-feeds': {
    summary: 'List source feeds',
    operation: { name: 'ListSourceFeeds', field: 'sourceFeeds' },
    answer: 'One page of feeds, newest first by default.',
  },
  'POST /v1/source-feeds/sweep': {
    summary: 'Find stale feeds now',
    description: 'The service does the same every 30 seconds for all tenants.',
    operation: { name: 'SweepSourceFeeds', field: 'sweepSourceFeeds' },
    answer: 'The stale feeds.',
  },
  'GET /v1/source-feeds/{id}': {
    summary: 'Read one source feed',
    operation: { name: 'GetSourceFeed', field: 'sourceFeed' },
    answer: 'The feed with its latest changes.',
  },
  'PATCH /v1/source-feeds/{id}': {
    summary: 'Change a source feed, pause it, or end its pause',
    description: 'Absent members stay; null removes a value. A paused feed never goes stale.',
    operation: { name: 'UpdateSourceFeed', field: 'updateSourceFeed' },
    bodyExample: { status: 'PAUSED' },
    answer: 'The feed.',
  },
  'DELETE /v1/source-feeds/{id}': {
    summary: 'Delete a source feed',
    description: 'Its events and its ledger entries stay.',
    operation: { name: 'DeleteSourceFeed', field: 'deleteSourceFeed' },
    answer: 'The feed, DELETED.',
  },
  'POST /v1/source-feeds/{id}/heartbeat': {
    summary: 'Send a heartbeat',
    description: 'For a source that has nothing to send. A stale feed becomes healthy, and its exception is resolved.',
    operation: { name: 'SourceFeedHeartbeat', field: 'sourceFeedHeartbeat' },
    answer: 'The feed.',
  },
});
