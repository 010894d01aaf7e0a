import { z } from 'zod';
import { problem } from '../../../shared/errors/problem.js';
import { operationOf } from '../../graph-route.js';
import { objectOf } from '../../object-of.js';
import { ACKNOWLEDGEMENT_EXAMPLES } from '../../openapi/text-examples.js';
import { Answer, type Route, type RouteCall } from '../../route.js';
import type { CustomRoute } from '../../route-table.js';
import { FHIR_JSON } from '../../streams/fhir-answer.js';
import { fhirXml } from '../../streams/fhir-xml.js';
import { type RawMessage, rawMessageOf } from '../../streams/raw-message.js';
import { asksFor } from '../../streams/streamed-answer.js';
import { ofTenant, rawRequest, statedArguments } from './raw-request.js';

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
export const bareAcknowledgement: Pick<Route, 'otherMedia' | 'restate'> = {
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
/** Stores the bytes in the write-once store; the ledger then reads them from there. */
export const postRaw: CustomRoute = (contract) => {
  const operation = operationOf(contract, FIELD);
  const { query, body, faults } = rawRequest(contract, operation);
  return {
    scope: 'events:write',
    summary: 'Ingest a raw X12, FHIR, HL7 v2, NCPDP or C-CDA message',
    description:
      'Takes the bare message, a JSON wrapper or a form; also packed by gzip, or as a ZIP of files of one format. The format comes from the query, else from the wrapper, else from the Content-Type, else from the bytes.',
    operation: { name: 'IngestRaw', field: FIELD },
    query,
    body,
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
  return { raw_sha256: blob.sha256, ...statedArguments(call, message) };
}
