import { sha256Hex } from '../../../shared/crypto/hash.js';
import type { JsonSchema } from '../../../shared/graph/json-schema.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/json/strict-json.js';
import { bodyOf, type RouteCall } from '../../route.js';

// The OpenFeature Remote Evaluation Protocol (github.com/open-feature/protocol, OpenAPI 0.2): the same evaluations in
// that protocol's words. Identity, tenant and scope fail in our own error object, as the protocol leaves it open.

interface Evaluation {
  readonly key: string;
  readonly value: JsonValue;
  readonly variant: string | null;
  readonly reason: string;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly metadata: JsonObject;
}

export interface Evaluations {
  readonly evaluations: readonly Evaluation[];
  readonly error_code?: string;
  readonly error_message?: string;
}

export const OFREP_OPERATION = { name: 'EvaluateFlags', field: 'evaluateFlags' } as const;

export const OFREP_REQUEST: JsonSchema = {
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

export const OFREP_EXAMPLE: JsonObject = { context: { targetingKey: 'user-17', jurisdiction: 'US-CA' } };

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

export const OFREP_FAILURE: JsonSchema = {
  type: 'object',
  properties: { key: { type: 'string' }, errorCode: { type: 'string' }, errorDetails: { type: 'string' } },
  required: ['key', 'errorCode'],
};

/** Where no single flag is to be named. */
export const OFREP_GENERAL_FAILURE: JsonSchema = {
  type: 'object',
  properties: { errorCode: { type: 'string' }, errorDetails: { type: 'string' } },
  required: ['errorCode'],
};

export const OFREP_ONE: JsonSchema = SUCCESS;
export const OFREP_ALL: JsonSchema = {
  type: 'object',
  properties: { flags: { type: 'array', items: { anyOf: [SUCCESS, OFREP_FAILURE] } } },
  required: ['flags'],
};

/** One flag as the protocol tells it, in an answer of its own or in a list. */
export const ofrepFlag = (found: Evaluation): JsonObject =>
  found.error_code === null
    ? {
        key: found.key,
        reason: found.reason,
        variant: found.variant,
        value: found.value,
        metadata: found.metadata,
      }
    : { key: found.key, errorCode: found.error_code, errorDetails: found.error_message };

/** A context that is no object is told as INVALID_CONTEXT by the evaluation itself. */
export async function evaluated(call: RouteCall, key?: string): Promise<Evaluations> {
  const body = bodyOf(call).value;
  const context = isJsonObject(body) ? body['context'] : undefined;
  return (await call.run({ ...(key === undefined ? {} : { key }), context })) as Evaluations;
}

export const etagOf = (body: JsonValue): string => `"${sha256Hex(JSON.stringify(body))}"`;

/** RFC 9110 section 13.1.2: any of the tags listed, weakly compared, or `*`. */
export const tagMatches = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
