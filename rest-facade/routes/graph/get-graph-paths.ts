import { graphRoute } from '../../graph-route.js';

export const getGraphPaths = graphRoute({
  method: 'GET',
  path: '/v1/graph/paths',
  area: 'graph',
  scope: 'graph:read',
  tenant: 'required',
  summary: 'The shortest ways from one node to another',
  description:
    'Simple paths, either way along each edge, the shortest first. `paths` is empty where the two are not connected within `max_length`; `truncated` tells that a node had more edges than were searched.',
  operation: { name: 'GetGraphPaths', field: 'graphPaths' },
  answer: 'The paths, their nodes and edges.',
});
