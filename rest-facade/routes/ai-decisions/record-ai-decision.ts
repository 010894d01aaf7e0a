import { graphRoute } from '../../graph-route.js';

export const recordAiDecision = graphRoute({
  method: 'POST',
  path: '/v1/ai-decisions',
  area: 'ai-decisions',
  scope: 'ai-provenance:write',
  tenant: 'required',
  summary: 'Record an AI decision',
  description:
    'An entry of the ledger. An adverse decision without a licensed reviewer is recorded all the same, and opens the ' +
    'exception AI_ADVERSE_UNREVIEWED. Exactly one of input_sha256 and inputs; inputs are hashed and not kept.',
  operation: { name: 'RecordAiDecision', field: 'recordAiDecision' },
  body: { argument: 'input' },
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
  answer: 'The decision, RECORDED, with its place in the ledger.',
});
