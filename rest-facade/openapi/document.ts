import type { ContractDocument, JsonSchema } from '../../shared/graph/json-schema.js';
import type { JsonObject, JsonValue } from '../../shared/json/strict-json.js';
import { isTagged } from '../entity-tag.js';
import { ANY_KEY, type Route, type RouteResponse } from '../route.js';
import { FORM_MEDIA_TYPE } from '../streams/document-form.js';
import { JSON_MEDIA_TYPE } from '../streams/raw-content.js';
import { exampleOfBytes } from './byte-examples.js';
import {
  COMMON_HEADERS,
  COMMON_PARAMETERS,
  ENTITY_TAG_HEADER,
  errorResponses,
  errorSchema,
  IDEMPOTENCY_PARAMETER,
  IF_NONE_MATCH,
  IF_RANGE,
  RANGE,
  RATE_LIMIT_HEADERS,
  REPLAYED_HEADER,
  securitySchemes,
} from './common.js';
import { Examples } from './example-of.js';
import { descriptionOf } from './operation-description.js';
import { operationIds } from './operation-id.js';
import { DELIVERIES_TAG, webhookObjects } from './webhooks.js';

/** Makes the OpenAPI 3.1 document from the route table and the contract. */
export function openApiDocument(routes: readonly Route[], contract: ContractDocument): JsonValue {
  const paths: Record<string, Record<string, JsonValue>> = {};
  const ids = operationIds(routes);
  const examples = new Examples(contract.components.schemas);
  for (const route of routes) {
    const named = {
      operationId: ids.get(route) ?? '',
      description: descriptionOf(route, contract),
      examples,
    };
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationObject(route, named) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Evidentiary Audit Service API',
      version: '1.0.0',
      description: 'Hash-chained, write-once, re-verifiable events of health plans.',
      'x-api-version': 'v1',
    },
    'x-api-version': 'v1',
    // Each deployment has its own address (specification: {base_url}).
    servers: [{ url: '/', description: 'The deployment that serves this description.' }],
    tags: [...new Set(routes.map((route) => route.area)), DELIVERIES_TAG].map((name) => ({ name })),
    paths,
    webhooks: webhookObjects(),
    components: {
      schemas: { ...contract.components.schemas, Error: errorSchema() },
      responses: errorResponses(),
      securitySchemes: securitySchemes(),
    },
  };
}

interface Named {
  readonly operationId: string;
  readonly description: string;
  readonly examples: Examples;
}

/** The route's own example, else one that its schema gives. */
function answerExample(
  { schema, example, mediaType = JSON_MEDIA_TYPE }: RouteResponse,
  examples: Examples,
): JsonValue | undefined {
  return example ?? (mediaType.includes('json') ? examples.of(schema) : undefined);
}

function operationObject(route: Route, { operationId, description, examples }: Named): JsonValue {
  const open = route.scope === null;
  return {
    operationId,
    tags: [route.area],
    summary: route.summary,
    description,
    'x-required-scope': route.scope ?? 'none',
    security: [...(open && route.takesKey ? [{}] : []), ...(open && !route.takesKey ? [] : KEYED)],
    parameters: [
      ...pathParameters(route),
      ...(isTagged(route) || route.content ? [IF_NONE_MATCH] : []),
      ...(route.content ? [RANGE, IF_RANGE] : []),
      ...(open ? [] : COMMON_PARAMETERS),
      ...(takesIdempotencyKey(route) ? [IDEMPOTENCY_PARAMETER] : []),
      ...queryParameters(route),
    ],
    ...(route.body ? { requestBody: requestBodyOf(route.body, examples) } : {}),
    responses: {
      [String(route.successStatus ?? 200)]: {
        description: route.response.description,
        headers: answerHeaders(route),
        content: route.content
          ? bytesContent(route.content)
          : { ...okContent(route.response, examples), ...otherMedia(route) },
      },
      ...(route.content ? { '206': partAnswer(route, route.content) } : {}),
      ...errorRefs(route),
      ...otherAnswers(route, examples),
    },
  };
}

const KEYED: JsonObject[] = [{ ApiKey: [] }, { Bearer: [] }];

/** Specification, "Limits": all POST routes. */
const takesIdempotencyKey = (route: Pick<Route, 'method' | 'scope'>): boolean =>
  route.method === 'POST' && route.scope !== null;

const answerHeaders = (route: Route): JsonObject => ({
  ...COMMON_HEADERS,
  ...(route.scope === null ? {} : RATE_LIMIT_HEADERS),
  ...(takesIdempotencyKey(route) ? REPLAYED_HEADER : {}),
  ...(isTagged(route) || route.content ? ENTITY_TAG_HEADER : {}),
});

function pathParameters(route: Route): JsonObject[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: 'Identifier of the addressed record.',
    schema: { type: 'string' },
  }));
}

function queryParameters(route: Route): JsonObject[] {
  return Object.entries(route.query ?? {}).map(([name, schema]) => {
    const { description, ...rest } = schema;
    return {
      name,
      in: 'query',
      required: route.requiredQuery?.includes(name) ?? false,
      ...(description ? { description } : {}),
      schema: rest,
    };
  });
}

function requestBodyOf(body: NonNullable<Route['body']>, examples: Examples): JsonObject {
  if (body.kind === 'json') {
    const schema = body.documentation ?? body.schema;
    const example = body.example ?? examples.of(schema);
    return { required: body.optional !== true, content: { [JSON_MEDIA_TYPE]: withExample(schema, example) } };
  }
  const mediaOf = (type: string): JsonObject =>
    type === FORM_MEDIA_TYPE && body.formSchema
      ? withExample(body.formSchema, examples.of(body.formSchema))
      : { schema: BYTES, ...exampleOfBytes(type) };
  return {
    required: true,
    content: {
      ...Object.fromEntries(body.mediaTypes.map((type) => [type, mediaOf(type)])),
      ...(body.jsonSchema ? jsonContent(body.jsonSchema, body.jsonExample ?? examples.of(body.jsonSchema)) : {}),
    },
  };
}

const withExample = (schema: JsonSchema, example: JsonValue | undefined): JsonObject => ({
  schema,
  ...(example === undefined ? {} : { example }),
});

/** A status of the Error object may have either form. */
function otherAnswers(route: Route, examples: Examples): JsonObject {
  const errors = errorRefs(route);
  const entries = Object.entries(route.otherAnswers ?? {}).map(([status, response]) => {
    const { schema, description, mediaType } = response;
    const example = answerExample(response, examples);
    const either = errors[status] === undefined ? schema : { anyOf: [schema, ERROR_REF] };
    const other = mediaType === undefined ? {} : { [mediaType]: withExample(schema, example) };
    return [
      status,
      { description, headers: answerHeaders(route), content: { ...jsonContent(either, example), ...other } },
    ] as const;
  });
  return Object.fromEntries([
    ...entries,
    ...(isTagged(route) || route.content ? [['304', NOT_MODIFIED] as const] : []),
  ]);
}

const BYTES: JsonSchema = { type: 'string', format: 'binary' };
const ERROR_REF = { $ref: '#/components/schemas/Error' };
const NOT_MODIFIED: JsonObject = { description: 'The entity tag of If-None-Match still matches.' };

const jsonContent = (schema: JsonSchema, example: JsonValue | undefined): JsonObject => ({
  [JSON_MEDIA_TYPE]: withExample(schema, example),
});

const okContent = (response: RouteResponse, examples: Examples): JsonObject => ({
  [response.mediaType ?? JSON_MEDIA_TYPE]: withExample(response.schema, answerExample(response, examples)),
});

const bytesContent = ({ mediaTypes }: NonNullable<Route['content']>): JsonObject =>
  Object.fromEntries(mediaTypes.map((type) => [type, { schema: BYTES, ...exampleOfBytes(type) }]));

const partAnswer = (route: Route, content: NonNullable<Route['content']>): JsonObject => ({
  description: 'The requested part.',
  headers: {
    ...answerHeaders(route),
    'Content-Range': { description: 'The range of the part.', schema: { type: 'string' } },
  },
  content: bytesContent(content),
});

function otherMedia(route: Route): JsonObject {
  const entries = Object.entries(route.otherMedia ?? {});
  return Object.fromEntries(
    entries.map(([mediaType, { description, example }]) => [
      mediaType,
      example === undefined
        ? { schema: { ...BYTES, description }, ...exampleOfBytes(mediaType) }
        : { schema: { type: 'string', description }, example },
    ]),
  );
}

const OPEN_STATUSES = ['400', '405', '500', '503'];
/** Statuses of every route that checks a key. */
const KEY_STATUSES = ['401', '403', '429'];
const KEYED_STATUSES = [...OPEN_STATUSES, ...KEY_STATUSES, '404'];
const BODY_STATUSES = ['409', '413', '415'];
const CONTENT_STATUSES = ['409', '410', '416'];

function errorRefs(route: Route): JsonObject {
  const statuses = [
    ...(route.scope === null ? OPEN_STATUSES : KEYED_STATUSES),
    ...(route.takesKey === true ? KEY_STATUSES : []),
    // A token in the path takes the place of a key.
    ...(route.scope === null && route.path.includes('{token}') ? ['403', '404', '429'] : []),
    ...(route.body ? BODY_STATUSES : []),
    ...(route.content ? CONTENT_STATUSES : []),
    ...(route.conflicts === true ? ['409'] : []),
    ...(takesIdempotencyKey(route) ? ['409', '422'] : []),
    ...(route.scope !== null && route.scope !== ANY_KEY && route.method === 'DELETE' ? ['409'] : []),
  ];
  return Object.fromEntries(
    [...new Set(statuses)].sort().map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
  );
}
