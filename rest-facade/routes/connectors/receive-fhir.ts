import type { JsonSchema } from '../../../shared/graph/json-schema.js';
import { operationOf } from '../../graph-route.js';
import type { RouteCall, RouteResponse } from '../../route.js';
import type { CustomRoute } from '../../route-table.js';
import { FHIR_JSON, FhirReceipt, fhirAnswer, fhirRefusal, tenantOf } from '../../streams/fhir-answer.js';
import { nonEmpty, refuseAnnounced } from '../../streams/raw-content.js';

const FIELD = 'receiveFhir';
const RESOURCE: JsonSchema = {
  type: 'object',
  properties: { resourceType: { type: 'string', examples: ['OperationOutcome'] } },
  required: ['resourceType'],
  additionalProperties: true,
};

const fhirResponse = (description: string): RouteResponse => ({ description, schema: RESOURCE, mediaType: FHIR_JSON });

/** An endpoint for FHIR systems: accepts resources, Bundles and NDJSON, and returns FHIR answers. */
export const receiveFhir: CustomRoute = (contract) => ({
  scope: 'events:write',
  summary: 'Send a FHIR resource or Bundle to a connector',
  description: 'Stores the bytes in the write-once store unchanged, and answers when every event is durable.',
  operation: { name: 'ReceiveFhir', field: operationOf(contract, FIELD) && FIELD },
  params: { id: 'connector_id' },
  body: {
    kind: 'stream',
    mediaTypes: [FHIR_JSON, 'application/x-ndjson', 'application/fhir+ndjson'],
    jsonSchema: RESOURCE,
  },
  response: fhirResponse('OperationOutcome, or the response Bundle of a batch or transaction.'),
  otherAnswers: {
    '201': fhirResponse('OperationOutcome of a new resource.'),
    '400': fhirResponse('OperationOutcome: the body is not FHIR.'),
    '404': fhirResponse('OperationOutcome: the endpoint does not exist.'),
    '409': fhirResponse('OperationOutcome: the connector is not enabled.'),
    '413': fhirResponse('OperationOutcome: the body is too large.'),
    '415': fhirResponse('OperationOutcome: the media type is not supported.'),
    '422': fhirResponse('OperationOutcome: no part of the body was accepted.'),
  },
  handle: async (call) => {
    try {
      const receipt = await call.read(FhirReceipt, await stored(call));
      call.services.metrics.ingested('raw', receipt);
      return fhirAnswer(receipt);
    } catch (error) {
      return fhirRefusal(error);
    }
  },
});

async function stored(call: RouteCall): Promise<Record<string, unknown>> {
  const { content, services } = call;
  const { tenant_id: tenantId, log_id: logId } = tenantOf(call.tenant);
  const { rawBytes } = services.limits;
  if (content) refuseAnnounced(content, rawBytes);
  const bytes = content ? nonEmpty(content) : nothing();
  const blob = await services.worm.forTenant({ tenantId, logId }).putBlob(bytes, rawBytes);
  return { connector_id: call.params['id'], raw_sha256: blob.sha256 };
}

async function* nothing(): AsyncGenerator<Buffer> {}
