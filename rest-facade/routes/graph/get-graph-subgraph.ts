import { graphRoute } from '../../graph-route.js';

export const getGraphSubgraph = graphRoute({
  method: 'GET',
  path: '/v1/graph/subgraph',
  area: 'graph',
  scope: 'graph:read',
  tenant: 'required',
  summary: 'What can be reached from nodes',
  description:
    'All nodes within `depth` steps of the roots, nearest and newest first, and every edge among them. A root that is not there is left out; 404 where none is.',
  operation: { name: 'GetGraphSubgraph', field: 'graphSubgraph' },
  answer: 'Nodes and the edges among them.',
});
