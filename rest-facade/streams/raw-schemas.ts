import type { JsonSchema } from '../../shared/graph/json-schema.js';

// The schemas of POST /v1/ingest/raw: its JSON wrapper and its form.

/** Statements about a message, of the JSON wrapper and of a form; `tenant_id` may repeat the request's. */
const STATEMENTS: Readonly<Record<string, JsonSchema>> = {
  format: { type: 'string', description: 'x12, hl7v2, fhir, ncpdp or cda, in any case.', examples: ['x12'] },
  source_system: { type: 'string', minLength: 1, maxLength: 128, examples: ['clearinghouse-a'] },
  strict: { type: 'boolean' },
  tenant_id: { type: 'string' },
};

/** True for the name of a statement. */
export const isStatement = (name: string): boolean => Object.hasOwn(STATEMENTS, name);

/** The names of all statements. */
export const STATEMENT_NAMES = Object.keys(STATEMENTS);

/** The fields of a form, without its files. */
export const FORM_FIELDS_SCHEMA: JsonSchema = { type: 'object', properties: STATEMENTS, additionalProperties: false };

/** The form, as OpenAPI describes it. */
export const FORM_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    file: { type: 'string', format: 'binary', description: 'A message. May be repeated.' },
    ...STATEMENTS,
  },
  required: ['file'],
  additionalProperties: false,
};

/** The JSON wrapper of a raw message. */
export const WRAPPER_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    ...STATEMENTS,
    content: { type: 'string', minLength: 1, description: 'The message as text.' },
    content_base64: {
      type: 'string',
      minLength: 1,
      pattern: '^[A-Za-z0-9+/]+={0,2}$',
      description: 'The same in base64.',
    },
  },
  oneOf: [{ required: ['content'] }, { required: ['content_base64'] }],
  additionalProperties: false,
};
