import { SCHEMA_REF_PREFIX } from '../../../shared/graph/contract-field.js';
import { argumentsSchema } from '../../../shared/graph/guard-arguments.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { operationOf } from '../../graph-route.js';
import { bodyOf, type RouteMaker } from '../../route.js';

const FIELD = 'evaluateFlags';

const CONTEXT = {
  type: 'object',
  properties: { targeting_key: { type: 'string' }, targetingKey: { type: 'string' } },
  additionalProperties: {},
};

/** One flag by `key` gives its evaluation; without one, those of all flags. */
export const evaluateFlags: RouteMaker = (contract) => {
  const operation = operationOf(contract, FIELD);
  const schema = argumentsSchema(operation);
  const properties = schema['properties'] as JsonObject;
  return {
    method: 'POST',
    path: '/v1/feature-flags/evaluate',
    area: 'feature-flags',
    scope: 'flags:read',
    tenant: 'required',
    summary: 'Evaluate feature flags',
    description:
      'An unknown flag, or one that fails, is an answer with an error_code; the reasons are those of OpenFeature.',
    operation: { name: 'EvaluateFlags', field: FIELD },
    body: {
      kind: 'json',
      schema: {
        ...schema,
        properties: { ...properties, context: { ...(properties['context'] as JsonObject), ...CONTEXT } },
      },
      example: { key: 'new-timeline', context: { targeting_key: 'user-17', jurisdiction: 'US-CA' } },
    },
    response: {
      description: 'The evaluation of the flag named, or those of all flags.',
      schema: { anyOf: [{ $ref: `${SCHEMA_REF_PREFIX}FlagEvaluation` }, operation.result] },
    },
    handle: async (call) => {
      const { key, type, context } = bodyOf(call).value as JsonObject;
      const answer = (await call.run({ key, type, context })) as { readonly evaluations: readonly unknown[] };
      return key === undefined ? answer : answer.evaluations[0];
    },
  };
};
