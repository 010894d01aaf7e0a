import { graphRoute } from '../../graph-route.js';

export const deleteSourceFeed = graphRoute({
  method: 'DELETE',
  path: '/v1/source-feeds/{id}',
  area: 'source-feeds',
  scope: 'feeds:write',
  tenant: 'required',
  summary: 'Delete a source feed',
  description: 'Its events stay, and so do its entries in the ledger.',
  operation: { name: 'DeleteSourceFeed', field: 'deleteSourceFeed' },
  params: { id: 'feed_id' },
  answer: 'The feed, DELETED.',
});
