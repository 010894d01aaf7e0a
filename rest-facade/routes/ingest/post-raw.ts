import { z } from 'zod';
import { fault, problem } from '../../shared/errors/problem.js';
import { contractOf } from '../../shared/graph/validator.js';
import { operationOf } from '../graph-route.js';
import { objectOf } from '../object-of.js';
import { X12_EXAMPLE } from '../openapi/byte-examples.js';
import { ACKNOWLEDGEMENT_EXAMPLES } from '../openapi/text-examples.js';
import { Answer, type Route, type RouteCall } from '../route.js';
import { type CustomRoute, type RouteArea, routeTable } from '../route-table.js';
import { FHIR_JSON } from '../streams/fhir-answer.js';
import { fhirXml } from '../streams/fhir-xml.js';
import { RAW_MEDIA_TYPES } from '../streams/raw-content.js';
import { digestOfRawForm, isRawForm, RAW_FORM_MEDIA_TYPES } from '../streams/raw-form.js';
import { type RawMessage, rawMessageOf } from '../streams/raw-message.js';
import { FORM_FIELDS_SCHEMA, FORM_SCHEMA, WRAPPER_SCHEMA } from '../streams/raw-schemas.js';
import { asksFor } from '../streams/streamed-answer.js';

/** Media types of acknowledgements (mapping.md section 4), with their aliases in Accept. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'application/edi-x12': ['application/edi-x12'],
  'application/hl7-v2': ['application/hl7-v2', 'x-application/hl7-v2+er7'],
  'application/fhir+json': ['application/fhir+json'],
  'application/fhir+xml': ['application/fhir+xml'],
  'application/x-ncpdp': ['application/x-ncpdp'],
  'application/xml': ['application/xml'],
};

const FHIR_XML = 'application/fhir+xml';

const DESCRIPTION = 'Only the acknowledgement, if it has this type; else the JSON answer.';

const MEDIA: Route['otherMedia'] = Object.fromEntries(
  Object.entries(ACKNOWLEDGEMENT_EXAMPLES).map(([mediaType, example]) => [
    mediaType,
    { description: DESCRIPTION, example },
  ]),
);

/** Adds the bare acknowledgement as a form of the answer, for senders that read no JSON. */
const bareAcknowledgement: Pick<Route, 'otherMedia' | 'restate'> = {
  otherMedia: MEDIA ?? {},
  restate: (answer, accept) => {
    const { media_type, content } = objectOf(objectOf(answer)['acknowledgement']);
    if (typeof media_type !== 'string' || typeof content !== 'string') return null;
    if (media_type === FHIR_JSON && asksFor(accept, FHIR_XML)) {
      return { mediaType: FHIR_XML, text: fhirXml(objectOf(JSON.parse(content))) };
    }
    const asked = (NAMES[media_type] ?? [media_type]).find((name) => asksFor(accept, name));
    return asked === undefined ? null : { mediaType: asked, text: content };
  },
};

const FIELD = 'ingestRaw';
const IngestCounts = z.looseObject({
  accepted: z.int(),
  duplicated: z.int(),
  rejected: z.int(),
  transactions: z.int(),
  results: z.array(z.looseObject({ error: z.looseObject({ code: z.string() }).nullish() })),
});

/** False if nothing in the body could be read. A message without an event (`999`) is readable. */
function isReadable({ accepted, duplicated, rejected, transactions, results }: z.infer<typeof IngestCounts>): boolean {
  if (accepted + duplicated > 0) return true;
  if (rejected === 0) return transactions > 0;
  return results.some(({ error }) => error?.code === 'UNSUPPORTED_TRANSACTION');
}
const QUERY = ['format', 'source_system', 'strict'] as const;

/** Stores the bytes in the write-once store; the ledger then reads them from there. */
const postRaw: CustomRoute = (contract) => {
  const operation = operationOf(contract, FIELD);
  const parameters = QUERY.map((name) => [name, operation.arguments[name]?.schema ?? {}] as const);
  const compiled = contractOf(contract);
  const faults = { wrapper: compiled.compile(WRAPPER_SCHEMA), fields: compiled.compile(FORM_FIELDS_SCHEMA) };
  return {
    scope: 'events:write',
    summary: 'Ingest a raw X12, FHIR, HL7 v2, NCPDP or C-CDA message',
    description:
      'Takes the bare message, a JSON wrapper or a form; also packed by gzip, or as a ZIP of files of one format. The format comes from the query, else from the wrapper, else from the Content-Type, else from the bytes.',
    operation: { name: 'IngestRaw', field: FIELD },
    query: Object.fromEntries(parameters),
    body: {
      kind: 'stream',
      mediaTypes: [...RAW_MEDIA_TYPES, ...RAW_FORM_MEDIA_TYPES],
      jsonSchema: WRAPPER_SCHEMA,
      jsonExample: { format: 'x12', source_system: 'clearinghouse-a', content: X12_EXAMPLE },
      formSchema: FORM_SCHEMA,
      takesGzip: true,
      digestOf: (contentType) =>
        isRawForm(contentType) ? (content, limits) => digestOfRawForm(content, limits, faults.fields) : undefined,
    },
    ...bareAcknowledgement,
    response: { description: 'Counts, results, exceptions and the acknowledgement.', schema: operation.result },
    otherAnswers: {
      '422': { description: 'The same report: the body holds nothing readable.', schema: operation.result },
    },
    handle: async (call) => {
      const message = await rawMessageOf(call.content, call.services.limits, faults);
      const answer = await call.read(IngestCounts, await stored(call, message));
      call.services.metrics.ingested('raw', answer);
      return isReadable(answer) ? answer : new Answer(422, answer);
    },
  };
};

async function stored(call: RouteCall, message: RawMessage): Promise<Record<string, unknown>> {
  const { tenant } = call;
  if (!tenant) throw problem('TENANT_REQUIRED');
  const worm = call.services.worm.forTenant({ tenantId: tenant.tenant_id, logId: tenant.log_id });
  const blob = await worm.putBlob(ofTenant(message, tenant.tenant_id), message.maxBytes);
  if (message.digest) call.content?.reportDigest?.(message.digest());
  const { format, sourceSystem, strict, contentType } = message.stated();
  return {
    raw_sha256: blob.sha256,
    format: call.query['format'] ?? format,
    source_system: call.query['source_system'] ?? sourceSystem,
    strict: call.query['strict'] ?? strict,
    content_type: contentType,
    converted_from: message.convertedFrom?.(),
  };
}

/** The bytes of a message. They end with an error if the message states another tenant, and the store keeps nothing. */
async function* ofTenant({ bytes, stated }: RawMessage, tenantId: string): AsyncGenerator<Uint8Array> {
  yield* bytes;
  const other = stated().tenantId;
  if (other === undefined || other === tenantId) return;
  throw problem('VALIDATION_ERROR', {
    errors: [fault('/tenant_id', 'tenant', 'Must be the tenant that header or query name.')],
  });
}

const INGEST: RouteArea = { area: 'ingest', reads: 'events:read' };

export const ingestRoutes = routeTable(INGEST, {
  'POST /v1/ingest/raw': postRaw,
  'GET /v1/ingest/{ingest_id}': {
    summary: 'Read the outcome of a raw ingest',
    operation: { name: 'GetIngest', field: 'ingest' },
    answer: 'The counts of the ingest, its first results and its acknowledgement.',
    extend: () => bareAcknowledgement,
  },
  'GET /v1/ingest/{ingest_id}/results': {
    summary: 'List the results of a raw ingest',
    operation: { name: 'ListIngestResults', field: 'ingestResults' },
    answer: 'One page of results.',
  },
});
