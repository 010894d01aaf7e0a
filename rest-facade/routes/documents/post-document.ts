import { uploadTicket } from '../../../shared/crypto/upload-ticket.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { type ContractDocument, ContractError, type JsonSchema } from '../../../shared/graph/json-schema.js';
import { contractOf } from '../../../shared/graph/validator.js';
import { operationOf } from '../../graph-route.js';
import type { RouteCall } from '../../route.js';
import type { CustomRoute } from '../../route-table.js';
import {
  type DocumentForm,
  digestOfForm,
  FORM_MEDIA_TYPE,
  formDigest,
  formSchema,
  type JudgeForm,
  readDocumentForm,
} from '../../streams/document-form.js';
import { refuseAnnounced } from '../../streams/raw-content.js';

const FIELD = 'takeDocument';
/** Room for the fields and boundaries of a form in addition to its file. */
const FORM_BYTES = 4_194_304;

/** The bytes go to the write-once store as they come; then the vault makes a document of them. */
export const postDocument: CustomRoute = (contract) => {
  const upload = operationOf(contract, FIELD).arguments['input']?.schema ?? {};
  const faultsOf = contractOf(contract).compile(upload);
  return {
    summary: 'Upload a document',
    description:
      'Takes a form with one file; the same bytes are stored once. A list is a repeated field or a JSON array. Recorded in custody.',
    operationId: 'uploadDocument',
    operation: { name: 'TakeDocument', field: FIELD },
    query: {},
    body: {
      kind: 'stream',
      mediaTypes: [FORM_MEDIA_TYPE],
      formSchema: formSchema(namedSchema(contract, upload)),
      digestOf: () => digestOfForm,
    },
    response: { description: 'The document.', schema: operationOf(contract, FIELD).result },
    handle: async (call) => {
      const form = await stored(call, ({ filename, mediaType: media_type, fields }) => {
        const errors = faultsOf({ ...NOT_KNOWN_YET, media_type, filename, ...fields });
        if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
      });
      call.content?.reportDigest?.(formDigest(form));
      const { sha256, sizeBytes } = form.blob;
      const content = { sha256, size: sizeBytes };
      const ticket = uploadTicket(call.services.masterKey, tenantOf(call).tenant_id, content);
      const { mediaType: media_type, filename, fields } = form;
      return call.run({ input: { ...content, ticket, media_type, filename, ...fields } });
    },
  };
};

/** Placeholders for the members that the facade adds after the check of the fields. */
const NOT_KNOWN_YET = { sha256: '0'.repeat(64), size: 1, ticket: '0'.repeat(64) };

function tenantOf({ tenant }: RouteCall): NonNullable<RouteCall['tenant']> {
  if (!tenant) throw problem('TENANT_REQUIRED');
  return tenant;
}

async function stored(call: RouteCall, judge: JudgeForm): Promise<DocumentForm> {
  const { content, services } = call;
  const tenant = tenantOf(call);
  const { documentBytes } = services.limits;
  if (content) refuseAnnounced(content, documentBytes + FORM_BYTES);
  const worm = services.worm.forTenant({ tenantId: tenant.tenant_id, logId: tenant.log_id });
  const store = (bytes: AsyncIterable<Buffer>) => worm.putBlob(bytes, documentBytes);
  return readDocumentForm(content, store, (form) => {
    if (form.tenantId !== undefined && form.tenantId !== tenant.tenant_id) {
      throw problem('VALIDATION_ERROR', {
        errors: [fault('/tenant_id', 'tenant', 'Must be the tenant that header or query name.')],
      });
    }
    judge(form);
  });
}

/** Resolves a reference to its schema. */
function namedSchema(contract: ContractDocument, schema: JsonSchema): JsonSchema {
  const name = String(schema['$ref']).split('/').at(-1) ?? '';
  const named = contract.components.schemas[name];
  if (!named) throw new ContractError(`the argument of ${FIELD} is no contract type`);
  return named;
}
