import { type RouteArea, routeTable } from '../route-table.js';

const AI_DECISIONS: RouteArea = {
  area: 'ai-decisions',
  id: 'decision_id',
  reads: 'ai-provenance:read',
  writes: 'ai-provenance:write',
};

export const aiDecisionRoutes = routeTable(AI_DECISIONS, {
  'POST /v1/ai-decisions': {
    freeForm: 'kept',
    summary: 'Record an AI decision',
    description:
      'Appends an entry to the ledger. An adverse decision without a licensed reviewer is recorded too, and opens the ' +
      'exception AI_ADVERSE_UNREVIEWED. Send exactly one of input_sha256 and inputs; inputs are hashed and not stored.',
    operation: { name: 'RecordAiDecision', field: 'recordAiDecision' },
    bodyExample: {
      decision_type: 'UTILIZATION_MANAGEMENT',
      model: { name: 'um-triage', version: '4.2.0', provider: 'Example Models' },
      member_id: 'M-1001',
      inputs: { procedure_codes: ['73721'], notes: 3 },
      output: { label: 'deny' },
      score: 0.91,
      threshold: 0.8,
      recommendation: 'DENY',
      rationale: 'Conservative therapy is not documented.',
      human_review: {
        required: true,
        reviewer: { reviewer_id: 'dr-17', license_type: 'MD', license_number: 'CA-A12345', outcome: 'AGREED' },
      },
      individualized: { medical_history: true, provider_recommendation: true, clinical_notes: true },
      decided_at: '2026-03-02T14:11:09.123Z',
    },
    answer: 'The decision, RECORDED, with its position in the ledger.',
  },
  'GET /v1/ai-decisions': {
    summary: 'List AI decisions',
    operation: { name: 'ListAiDecisions', field: 'aiDecisions' },
    answer: 'One page of decisions by recording time, newest first by default.',
  },
  'GET /v1/ai-decisions/summary': {
    summary: 'Count AI decisions and their overrides',
    description: 'By type, model, version, outcome and month; `from` and `to` bound the time of the decision.',
    operation: { name: 'SummariseAiDecisions', field: 'aiDecisionSummary' },
    answer: 'Counts, rates and the trend of overrides.',
  },
  'GET /v1/ai-decisions/export': {
    summary: 'Export AI decisions as PROV-JSON or FHIR',
    description: 'The decisions of one page of the list with these filters, as one document.',
    operation: { name: 'ExportAiDecisions', field: 'aiDecisionsExport' },
    answer: 'The document and the cursor of the next page.',
  },
  'GET /v1/ai-decisions/{id}': {
    summary: 'Read one AI decision',
    operation: { name: 'GetAiDecision', field: 'aiDecision' },
    answer: 'The decision as recorded, and its overrides.',
  },
  'POST /v1/ai-decisions/{id}/override': {
    freeForm: 'kept',
    summary: 'Override an AI decision',
    description:
      'Appends another entry to the ledger. The entries of the decision and of earlier overrides do not change.',
    operation: { name: 'OverrideAiDecision', field: 'overrideAiDecision' },
    bodyExample: {
      outcome: 'APPROVE',
      reason: 'Conservative therapy was documented in the notes.',
      overridden_by: 'dr-17',
      credentials: 'MD CA-A12345',
    },
    answer: 'The decision, OVERRIDDEN.',
  },
  'GET /v1/ai-decisions/{id}/export': {
    summary: 'Export one AI decision as PROV-JSON or FHIR',
    description:
      '`prov` (default): a PROV-JSON document of W3C PROV. `fhir`: a FHIR R4 Bundle of Provenance resources, one for the ' +
      'decision and one for each override.',
    operation: { name: 'ExportAiDecision', field: 'aiDecisionExport' },
    query: { format: { type: 'string', enum: ['prov', 'fhir'], description: 'The form; prov by default.' } },
    answer: 'The document.',
    extend: ({ response }) => ({ response: { ...response, schema: { type: 'object', additionalProperties: true } } }),
  },
});
