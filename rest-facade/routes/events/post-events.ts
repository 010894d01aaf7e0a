import { SCHEMA_REF_PREFIX } from '../../../shared/graph/contract-field.js';
import type { ContractDocument, JsonSchema } from '../../../shared/graph/json-schema.js';
import { operationOf } from '../../graph-route.js';
import { objectOf } from '../../object-of.js';
import { bodyOf } from '../../route.js';
import type { CustomRoute } from '../../route-table.js';
import { batchAnswer, IngestedBatch, receiptOf, submissionOf } from './batch.js';

const ENVELOPE = { $ref: `${SCHEMA_REF_PREFIX}EventEnvelope` };
const FIELD = 'ingestEvents';

export const EXAMPLE_ENVELOPE = {
  event_family: 'utilization_management',
  event_type: 'prior_auth.denied',
  member_id: 'M-1001',
  source_system: 'um-core',
  source_record_id: 'PA-2026-000123',
  event_effective_timestamp: '2026-03-02T14:11:09.123Z',
  outcome: 'DENIED',
  payload: {
    service: 'MRI of the knee',
    procedure_codes: ['73721'],
    diagnosis_codes: ['M25.561'],
    jurisdiction: 'US-CA',
    program: 'Commercial',
    carc: ['50'],
    rationale: 'Conservative treatment was not documented.',
  },
};

/** A receipt is a result of a batch without index and error. */
function receiptSchema(contract: ContractDocument): JsonSchema {
  const {
    index: _,
    error: __,
    status,
    ...rest
  } = objectOf(contract.components.schemas['IngestResult']?.['properties']);
  return {
    type: 'object',
    properties: { status: { ...objectOf(status), enum: ['ACCEPTED', 'DUPLICATE'] }, ...rest },
    required: ['status', ...Object.keys(rest)],
  };
}

/**
 * The ledger validates each envelope, so that an invalid one never blocks a valid one; the facade checks no schema of the
 * whole body.
 */
export const postEvents: CustomRoute = (contract) => ({
  scope: 'events:write',
  summary: 'Append events to the ledger',
  description:
    'One envelope, an array of envelopes, or { events: [...] }. A batch returns 200 with one result per item.',
  operation: { name: 'IngestEvents', field: FIELD },
  body: {
    kind: 'json',
    schema: {},
    documentation: {
      anyOf: [
        ENVELOPE,
        { type: 'array', items: ENVELOPE, minItems: 1 },
        {
          type: 'object',
          properties: { events: { type: 'array', items: ENVELOPE, minItems: 1 }, tenant_id: { type: 'string' } },
          required: ['events'],
          additionalProperties: false,
        },
      ],
    },
    example: EXAMPLE_ENVELOPE,
    maxBytes: (limits) => limits.batchBytes,
  },
  response: {
    description: 'The receipt of one envelope, or of each envelope of a batch.',
    schema: { anyOf: [receiptSchema(contract), operationOf(contract, FIELD).result] },
  },
  handle: async (call) => {
    const { items, byteSizes, alone } = submissionOf(bodyOf(call), call.services.limits);
    const batch = await call.read(IngestedBatch, { items, byte_sizes: byteSizes });
    call.services.metrics.ingested('json', batch);
    return alone ? receiptOf(batch) : batchAnswer(batch);
  },
});
