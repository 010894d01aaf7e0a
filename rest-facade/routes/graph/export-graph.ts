import type { ContractDocument, JsonSchema } from '../../../shared/graph/json-schema.js';
import { graphRoute } from '../../graph-route.js';
import type { Route } from '../../route.js';
import { GRAPHML, type GraphPage, graphExportAnswer } from '../../streams/graph-export.js';

const FORMAT: JsonSchema = {
  type: 'string',
  enum: ['json', 'graphml'],
  description: 'Form of the export; json unless told, or as Accept asks.',
};

/** The graph gives pages; the export is written as they come (design.md decision 1). */
export function exportGraph(contract: ContractDocument): Route {
  const route = graphRoute({
    method: 'GET',
    path: '/v1/graph/export',
    area: 'graph',
    scope: 'graph:read',
    tenant: 'required',
    summary: 'Export the whole graph',
    description:
      'Every node and edge that the key may see, as JSON or as GraphML. Streamed while it is read: what comes meanwhile may be in it or not.',
    operation: { name: 'ExportGraph', field: 'graphExport' },
    answer: 'The graph.',
  })(contract);
  const { cursor: _, ...query } = route.query ?? {};
  const schema = {
    type: 'object',
    required: ['nodes', 'edges', 'truncated'],
    properties: {
      nodes: { type: 'array', items: { $ref: '#/components/schemas/GraphNode' } },
      edges: { type: 'array', items: { $ref: '#/components/schemas/GraphEdge' } },
      truncated: { type: 'boolean', description: 'Whether links of much used numbers are left out.' },
    },
  };
  return {
    ...route,
    query: { ...query, format: FORMAT },
    response: { ...route.response, schema },
    otherMedia: {
      [GRAPHML]: { schema: { type: 'string' }, description: 'GraphML (graphml.graphdrawing.org).' },
    },
    handle: async (call) => {
      const { format, ...bounds } = call.query;
      const pageAt = async (cursor: string | null) =>
        (await call.run({ ...bounds, ...(cursor === null ? {} : { cursor }) })) as GraphPage;
      return graphExportAnswer(call, typeof format === 'string' ? format : undefined, pageAt);
    },
  };
}
