import { z } from 'zod';
import { JSON_OBJECT } from '../../../shared/contracts/call.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { problem } from '../../../shared/errors/problem.js';
import type { JsonSchema } from '../../../shared/graph/json-schema.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/json/strict-json.js';
import { Answer, bodyOf, type RouteCall } from '../../route.js';
import type { CustomRoute } from '../../route-table.js';

// The OpenFeature Remote Evaluation Protocol (github.com/open-feature/protocol, OpenAPI 0.2). Errors of identity, tenant and
// scope use the error object of this API, which the protocol allows.

const Evaluation = z.object({
  key: z.string(),
  value: z.custom<JsonValue>((value) => value !== undefined),
  variant: z.string().nullable(),
  reason: z.string(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  metadata: JSON_OBJECT,
});

const Evaluations = z.object({
  evaluations: z.array(Evaluation),
  error_code: z.string().optional(),
  error_message: z.string().optional(),
});

const OFREP_OPERATION = { name: 'EvaluateFlags', field: 'evaluateFlags' } as const;

const OFREP_REQUEST: JsonSchema = {
  type: 'object',
  properties: {
    context: {
      type: 'object',
      description: 'The evaluation context: targetingKey, and attributes that rules look at.',
      properties: { targetingKey: { type: ['string', 'null'] } },
      additionalProperties: {},
    },
  },
};

const OFREP_EXAMPLE: JsonObject = { context: { targetingKey: 'user-17', jurisdiction: 'US-CA' } };

const SUCCESS: JsonSchema = {
  type: 'object',
  properties: {
    key: { type: 'string' },
    value: {},
    variant: { type: 'string' },
    reason: { type: 'string' },
    metadata: { type: 'object', additionalProperties: {} },
  },
  required: ['key', 'value', 'reason'],
};

const OFREP_FAILURE: JsonSchema = {
  type: 'object',
  properties: { key: { type: 'string' }, errorCode: { type: 'string' }, errorDetails: { type: 'string' } },
  required: ['key', 'errorCode'],
};

/** A failure without a flag. */
const OFREP_GENERAL_FAILURE: JsonSchema = {
  type: 'object',
  properties: { errorCode: { type: 'string' }, errorDetails: { type: 'string' } },
  required: ['errorCode'],
};

const OFREP_ONE: JsonSchema = SUCCESS;
const OFREP_ALL: JsonSchema = {
  type: 'object',
  properties: { flags: { type: 'array', items: { anyOf: [SUCCESS, OFREP_FAILURE] } } },
  required: ['flags'],
};

/** One flag in the form of the protocol. */
const ofrepFlag = (found: z.infer<typeof Evaluation>): JsonObject =>
  found.error_code === null
    ? {
        key: found.key,
        reason: found.reason,
        variant: found.variant,
        value: found.value,
        metadata: found.metadata,
      }
    : { key: found.key, errorCode: found.error_code, errorDetails: found.error_message };

/** Runs the evaluation, which reports an invalid context as INVALID_CONTEXT. */
async function evaluated(call: RouteCall, key?: string): Promise<z.infer<typeof Evaluations>> {
  const body = bodyOf(call).value;
  const context = isJsonObject(body) ? body['context'] : undefined;
  return call.read(Evaluations, { ...(key === undefined ? {} : { key }), context });
}

const etagOf = (body: JsonValue): string => `"${sha256Hex(JSON.stringify(body))}"`;

/** RFC 9110 section 13.1.2: any of the tags listed, weakly compared, or `*`. */
const tagMatches = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));

const STATUS_OF_UNKNOWN_FLAG = 404;
const STATUS_OF_FAILURE = 400;

export const ofrepEvaluateOne: CustomRoute = () => ({
  operationId: 'evaluateFlagByOpenFeature',
  scope: 'flags:read',
  summary: 'Evaluate one flag by the OpenFeature protocol',
  description:
    'OFREP, for OpenFeature clients. An unknown flag is a 404, a failed evaluation a 400, both with key, errorCode and errorDetails.',
  operation: OFREP_OPERATION,
  query: {},
  params: { key: 'key' },
  body: { kind: 'json', schema: { type: 'object' }, documentation: OFREP_REQUEST, example: OFREP_EXAMPLE },
  response: { description: 'Value, variant and reason.', schema: OFREP_ONE },
  otherAnswers: {
    '400': { description: 'The flag could not be evaluated, or the request is invalid.', schema: OFREP_FAILURE },
    '404': { description: 'The flag or the tenant does not exist.', schema: OFREP_FAILURE },
  },
  handle: async (call) => {
    const [found] = (await evaluated(call, call.params['key'] ?? '')).evaluations;
    if (!found) throw problem('INTERNAL', { internal: 'an evaluation by key gave none' });
    if (found.error_code === null) return ofrepFlag(found);
    const status = found.error_code === 'FLAG_NOT_FOUND' ? STATUS_OF_UNKNOWN_FLAG : STATUS_OF_FAILURE;
    return new Answer(status, ofrepFlag(found));
  },
});

/** The tag covers the whole answer, so it changes with the flags and with the context. */
export const ofrepEvaluateAll: CustomRoute = () => ({
  operationId: 'evaluateFlagsByOpenFeature',
  scope: 'flags:read',
  summary: 'Evaluate all flags by the OpenFeature protocol',
  description: 'OFREP bulk evaluation. Send the last ETag as If-None-Match to get 304 if nothing has changed.',
  operation: OFREP_OPERATION,
  query: {},
  body: { kind: 'json', schema: { type: 'object' }, documentation: OFREP_REQUEST, example: OFREP_EXAMPLE },
  response: { description: 'Every flag of the tenant.', schema: OFREP_ALL },
  otherAnswers: {
    '304': { description: 'Nothing has changed since If-None-Match.', schema: {} },
    '400': { description: 'The request or its context is invalid.', schema: OFREP_GENERAL_FAILURE },
  },
  handle: async (call) => {
    const found = await evaluated(call);
    if (found.error_code !== undefined) {
      return new Answer(400, { errorCode: found.error_code, errorDetails: found.error_message });
    }
    const body = { flags: found.evaluations.map(ofrepFlag) };
    const etag = etagOf(body);
    if (tagMatches(call.ifNoneMatch, etag)) return new Answer(304, undefined, { etag });
    return new Answer(200, body, { etag });
  },
});
