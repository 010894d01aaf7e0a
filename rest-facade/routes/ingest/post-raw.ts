import { fault, problem } from '../../../shared/errors/problem.js';
import { contractOf } from '../../../shared/graph/validator.js';
import type { IngestCounts } from '../../../shared/telemetry/metrics.js';
import { operationOf } from '../../graph-route.js';
import type { RouteCall, RouteMaker } from '../../route.js';
import { RAW_MEDIA_TYPES } from '../../streams/raw-content.js';
import { type RawMessage, rawMessageOf, WRAPPER_SCHEMA } from '../../streams/raw-message.js';
import { bareAcknowledgement } from './acknowledgement.js';

const FIELD = 'ingestRaw';
const QUERY = ['format', 'source_system', 'strict'] as const;

/** The bytes go to the write-once store first, as they came; the ledger then reads them from there. */
export const postRaw: RouteMaker = (contract) => {
  const operation = operationOf(contract, FIELD);
  const parameters = QUERY.map((name) => [name, operation.arguments[name]?.schema ?? {}] as const);
  const wrapperFaults = contractOf(contract).compile(WRAPPER_SCHEMA);
  return {
    method: 'POST',
    path: '/v1/ingest/raw',
    area: 'ingest',
    scope: 'events:write',
    tenant: 'required',
    summary: 'Ingest a raw X12, FHIR, HL7 v2 or NCPDP message',
    description: 'The bare message, or a JSON wrapper. format: the parameter beats the wrapper beats the Content-Type.',
    operation: { name: 'IngestRaw', field: FIELD },
    query: Object.fromEntries(parameters),
    body: { kind: 'stream', mediaTypes: RAW_MEDIA_TYPES, jsonSchema: WRAPPER_SCHEMA },
    ...bareAcknowledgement,
    response: { description: 'Counts, results, exceptions and the acknowledgement.', schema: operation.result },
    handle: async (call) => {
      const message = await rawMessageOf(call.content, call.services.limits, wrapperFaults);
      const answer = (await call.run(await stored(call, message))) as IngestCounts;
      call.services.metrics.ingested('raw', answer);
      return answer;
    },
  };
};

async function stored(call: RouteCall, message: RawMessage): Promise<Record<string, unknown>> {
  const { tenant } = call;
  if (!tenant) throw problem('TENANT_REQUIRED');
  if (message.tenantId !== undefined && message.tenantId !== tenant.tenant_id) {
    throw problem('VALIDATION_ERROR', {
      errors: [fault('/tenant_id', 'tenant', 'Differs from the tenant that the request names elsewhere.')],
    });
  }
  const worm = call.services.worm.forTenant({ tenantId: tenant.tenant_id, logId: tenant.log_id });
  const blob = await worm.putBlob(message.bytes, message.maxBytes);
  return {
    raw_sha256: blob.sha256,
    format: call.query['format'] ?? message.format,
    source_system: call.query['source_system'] ?? message.sourceSystem,
    strict: call.query['strict'] ?? message.strict,
    content_type: message.contentType,
  };
}
