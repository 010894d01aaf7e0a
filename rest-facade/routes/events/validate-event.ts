import { problem } from '../../../shared/errors/problem.js';
import { SCHEMA_REF_PREFIX } from '../../../shared/graph/contract-field.js';
import { operationOf } from '../../graph-route.js';
import { bodyOf } from '../../route.js';
import type { CustomRoute } from '../../route-table.js';
import { EXAMPLE_ENVELOPE } from './post-events.js';

const FIELD = 'validateEvent';

/** Validates an envelope; its faults are the answer, not an error. */
export const validateEvent: CustomRoute = (contract) => ({
  scope: 'events:write',
  summary: 'Validate an event envelope without writing anything',
  operation: { name: 'ValidateEvent', field: FIELD },
  body: {
    kind: 'json',
    schema: { type: 'object' },
    documentation: { $ref: `${SCHEMA_REF_PREFIX}EventEnvelope` },
    example: EXAMPLE_ENVELOPE,
    maxBytes: (limits) => limits.batchBytes,
  },
  response: {
    description: 'Whether the envelope would be accepted, its faults, and the hash of its canonical form.',
    schema: operationOf(contract, FIELD).result,
  },
  handle: (call) => {
    const body = bodyOf(call);
    const limit = call.services.limits.envelopeBytes;
    if (body.bytes.length > limit) {
      throw problem('PAYLOAD_TOO_LARGE', { message: `An envelope must not exceed ${limit} bytes.` });
    }
    return call.run({ item: body.value });
  },
});
