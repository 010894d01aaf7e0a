import { SCHEMA_REF_PREFIX } from '../../../shared/graph/contract-field.js';
import type { ContractDocument, JsonSchema } from '../../../shared/graph/json-schema.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { operationOf } from '../../graph-route.js';
import { bodyOf, type RouteMaker } from '../../route.js';
import { batchAnswer, type IngestedBatch, receiptOf, submissionOf } from './batch.js';

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

/** A receipt is a batch's result without its place and without an error: those of an envelope alone are the status. */
function receiptSchema(contract: ContractDocument): JsonSchema {
  const { properties } = contract.components.schemas['IngestResult'] as { readonly properties: JsonObject };
  const { index: _, error: __, status, ...rest } = properties;
  return {
    type: 'object',
    properties: { status: { ...(status as JsonObject), enum: ['ACCEPTED', 'DUPLICATE'] }, ...rest },
    required: ['status', ...Object.keys(rest)],
  };
}

/**
 * Envelopes are judged one by one in the ledger, where their contract is compiled too: a bad one in a batch never stops a
 * good one, so the whole body is not held to a schema here.
 */
export const postEvents: RouteMaker = (contract) => ({
  method: 'POST',
  path: '/v1/events',
  area: 'events',
  scope: 'events:write',
  tenant: 'required',
  summary: 'Append events to the ledger',
  description:
    'One envelope, an array of envelopes, or { events: [...] }. A batch answers 200 with one result an item.',
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
    const batch = (await call.run({ items, byte_sizes: byteSizes })) as IngestedBatch;
    call.services.metrics.ingested('json', batch);
    return alone ? receiptOf(batch) : batchAnswer(batch);
  },
});
