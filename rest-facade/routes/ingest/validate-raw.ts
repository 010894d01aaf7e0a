import { problem } from '../../../shared/errors/problem.js';
import { operationOf } from '../../graph-route.js';
import type { CustomRoute } from '../../route-table.js';
import { rawMessageOf } from '../../streams/raw-message.js';
import { ofTenant, rawRequest, statedArguments } from './raw-request.js';

const FIELD = 'previewRaw';
/** The whole message travels in one call; a validation is for samples, not for loads. */
const MAX_PREVIEWED_BYTES = 4 * 1_048_576;

/** Says what a raw message would become: its events, faults and exceptions are the answer, not an error. */
export const validateRaw: CustomRoute = (contract) => {
  const operation = operationOf(contract, FIELD);
  const { query, body, faults } = rawRequest(contract, operation);
  return {
    scope: 'events:write',
    summary: 'Validate a raw message without writing anything',
    description:
      'Takes the same bodies as POST /v1/ingest/raw, at most 4 MiB unpacked, and says which events, rejections, exceptions and warnings an ingest would make. It does not compare them with the ledger, so an event that is there already is VALID too.',
    operation: { name: 'PreviewRaw', field: FIELD },
    query,
    body,
    reads: true,
    response: { description: 'Counts, results, exceptions and warnings.', schema: operation.result },
    handle: async (call) => {
      const { tenant } = call;
      if (!tenant) throw problem('TENANT_REQUIRED');
      const limits = { ...call.services.limits, rawBytes: MAX_PREVIEWED_BYTES };
      const message = await rawMessageOf(call.content, limits, faults);
      const pieces: Uint8Array[] = [];
      let size = 0;
      for await (const piece of ofTenant(message, tenant.tenant_id)) {
        size += piece.length;
        if (size > MAX_PREVIEWED_BYTES) {
          throw problem('PAYLOAD_TOO_LARGE', { message: 'A message to validate must not exceed 4 MiB.' });
        }
        // A reader may use its memory again for the next piece.
        pieces.push(Uint8Array.from(piece));
      }
      return call.run({ content: Buffer.concat(pieces).toString('base64'), ...statedArguments(call, message) });
    },
  };
};
