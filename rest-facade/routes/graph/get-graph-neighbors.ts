import { graphRoute } from '../../graph-route.js';

export const getGraphNeighbors = graphRoute({
  method: 'GET',
  path: '/v1/graph/neighbors',
  area: 'graph',
  scope: 'graph:read',
  tenant: 'required',
  summary: 'Nodes around one node',
  description:
    'Direct neighbours are a list, newest first, that goes on by `cursor`; at a greater depth the nearest and newest are shown. Merged members are one node. With `purpose` consent leaves records out and `withheld` tells how many.',
  operation: { name: 'GetGraphNeighbors', field: 'graphNeighbors' },
  answer: 'The node, its neighbours, and the edges among them.',
});
