import { graphRoute } from '../../graph-route.js';

export const exportAiDecisions = graphRoute({
  method: 'GET',
  path: '/v1/ai-decisions/export',
  area: 'ai-decisions',
  scope: 'ai-provenance:read',
  tenant: 'required',
  summary: 'Export AI decisions as PROV-JSON or FHIR',
  description: 'The decisions of one page of the list with these filters, as one document.',
  operation: { name: 'ExportAiDecisions', field: 'aiDecisionsExport' },
  answer: 'The document, and the cursor of the next page.',
});
