import type { JsonSchema } from '../../../shared/graph/json-schema.js';
import type { IngestCounts } from '../../../shared/telemetry/metrics.js';
import { operationOf } from '../../graph-route.js';
import type { RouteCall, RouteMaker, RouteResponse } from '../../route.js';
import { FHIR_JSON, type FhirReceipt, fhirAnswer, fhirRefusal, tenantOf } from '../../streams/fhir-answer.js';
import { nonEmpty, refuseAnnounced } from '../../streams/raw-content.js';

const FIELD = 'receiveFhir';
const RESOURCE: JsonSchema = {
  type: 'object',
  properties: { resourceType: { type: 'string', examples: ['OperationOutcome'] } },
  required: ['resourceType'],
  additionalProperties: true,
};

const told = (description: string): RouteResponse => ({ description, schema: RESOURCE, mediaType: FHIR_JSON });

/** An endpoint for systems that speak FHIR: resources, Bundles and NDJSON in, FHIR's own answers out. */
export const receiveFhir: RouteMaker = (contract) => ({
  method: 'POST',
  path: '/v1/connectors/{id}/fhir',
  area: 'connectors',
  scope: 'events:write',
  tenant: 'required',
  summary: 'Send a FHIR resource or Bundle to a connector',
  description: 'The bytes go to the write-once store as they came; answered when every event is durable.',
  operation: { name: 'ReceiveFhir', field: operationOf(contract, FIELD) && FIELD },
  params: { id: 'connector_id' },
  body: {
    kind: 'stream',
    mediaTypes: [FHIR_JSON, 'application/x-ndjson', 'application/fhir+ndjson'],
    jsonSchema: RESOURCE,
  },
  response: told('OperationOutcome, or the response Bundle of a batch or transaction.'),
  otherAnswers: {
    '201': told('OperationOutcome of a resource that is new.'),
    '400': told('OperationOutcome: the body is no FHIR.'),
    '404': told('OperationOutcome: there is no such endpoint.'),
    '409': told('OperationOutcome: the connector is not enabled.'),
    '413': told('OperationOutcome: the body is too large.'),
    '415': told('OperationOutcome: the body is in no format that is taken here.'),
    '422': told('OperationOutcome: nothing of the body could be taken.'),
  },
  handle: async (call) => {
    try {
      const receipt = (await call.run(await stored(call))) as FhirReceipt;
      call.services.metrics.ingested('raw', receipt as unknown as IngestCounts);
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
