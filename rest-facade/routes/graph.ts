import type { JsonSchema } from '../../shared/graph/json-schema.js';
import type { ExtendRoute } from '../graph-route.js';
import { GRAPHML_EXAMPLE } from '../openapi/text-examples.js';
import { type RouteArea, routeTable } from '../route-table.js';
import { GRAPHML, GraphPage, graphExportAnswer } from '../streams/graph-export.js';

const FORMAT: JsonSchema = {
  type: 'string',
  enum: ['json', 'graphml'],
  description: 'Form of the export; by default as Accept asks, else json.',
};

/** The graph returns pages; the export is streamed from them (design.md decision 1). */
const exportGraph: ExtendRoute = (route) => {
  const { cursor: _, ...query } = route.query ?? {};
  const schema = {
    type: 'object',
    required: ['nodes', 'edges', 'truncated'],
    properties: {
      nodes: { type: 'array', items: { $ref: '#/components/schemas/GraphNode' } },
      edges: { type: 'array', items: { $ref: '#/components/schemas/GraphEdge' } },
      truncated: { type: 'boolean', description: 'Whether links of very common numbers are left out.' },
    },
  };
  return {
    query: { ...query, format: FORMAT },
    response: { ...route.response, schema },
    otherMedia: {
      [GRAPHML]: { description: 'GraphML (graphml.graphdrawing.org).', example: GRAPHML_EXAMPLE },
    },
    handle: async (call) => {
      const { format, ...bounds } = call.query;
      const pageAt = (cursor: string | null) =>
        call.read(GraphPage, { ...bounds, ...(cursor === null ? {} : { cursor }) });
      return graphExportAnswer(call, typeof format === 'string' ? format : undefined, pageAt);
    },
  };
};

const GRAPH: RouteArea = { area: 'graph', reads: 'graph:read' };

export const graphRoutes = routeTable(GRAPH, {
  'GET /v1/graph/neighbors': {
    summary: 'List the neighbours of a node',
    description:
      'Direct neighbours are a list, newest first, with a `cursor`. A greater depth shows the nearest and newest nodes. Merged members are one node. With `purpose`, consent leaves records out and `withheld` counts them.',
    operation: { name: 'GetGraphNeighbors', field: 'graphNeighbors' },
    answer: 'The node, its neighbours, and the edges among them.',
  },
  'GET /v1/graph/subgraph': {
    summary: 'Read the subgraph around nodes',
    description:
      'All nodes within `depth` steps of the roots, nearest and newest first, and every edge among them. Unknown roots are left out; 404 if all are unknown.',
    operation: { name: 'GetGraphSubgraph', field: 'graphSubgraph' },
    answer: 'Nodes and the edges among them.',
  },
  'GET /v1/graph/paths': {
    summary: 'Find the shortest paths between two nodes',
    description:
      'Simple paths in either direction along each edge, the shortest first. `paths` is empty if the nodes are not connected within `max_length`. `truncated` means that a node had more edges than were searched.',
    operation: { name: 'GetGraphPaths', field: 'graphPaths' },
    answer: 'The paths, their nodes and edges.',
  },
  'GET /v1/graph/export': {
    summary: 'Export the whole graph',
    description:
      'Every node and edge that the key may see, as JSON or as GraphML. The answer is streamed, and may include changes during the stream.',
    operation: { name: 'ExportGraph', field: 'graphExport' },
    answer: 'The graph.',
    extend: exportGraph,
  },
});
