import { problem } from '../../../shared/errors/problem.js';
import type { RouteMaker } from '../../route.js';

const FIELD = 'aiDecisionExport';

export const exportAiDecision: RouteMaker = () => ({
  method: 'GET',
  path: '/v1/ai-decisions/{id}/export',
  area: 'ai-decisions',
  scope: 'ai-provenance:read',
  tenant: 'required',
  summary: 'Export one AI decision as PROV-JSON or FHIR',
  description:
    '`prov` (unless told): a PROV-JSON document of W3C PROV. `fhir`: a FHIR R4 Bundle of Provenance resources, one for the ' +
    'decision and one for each override.',
  operation: { name: 'ExportAiDecision', field: FIELD },
  params: { id: 'decision_id' },
  query: { format: { type: 'string', enum: ['prov', 'fhir'], description: 'Which form; prov unless told.' } },
  response: {
    description: 'The document.',
    schema: { type: 'object', additionalProperties: true },
  },
  handle: async (call) => {
    const found = await call.run({ decision_id: call.params['id'], ...call.query });
    if (found === null) throw problem('NOT_FOUND');
    return found;
  },
});
