import { z } from 'zod';
import { SCHEMA_REF_PREFIX } from '../../../shared/graph/contract-field.js';
import { argumentsSchema } from '../../../shared/graph/guard-arguments.js';
import { operationOf } from '../../graph-route.js';
import { objectOf } from '../../object-of.js';
import { bodyOf } from '../../route.js';
import type { CustomRoute } from '../../route-table.js';

const FIELD = 'evaluateFlags';

const CONTEXT = {
  type: 'object',
  properties: { targeting_key: { type: 'string' }, targetingKey: { type: 'string' } },
  additionalProperties: {},
};

/** Returns the evaluation of the flag `key`, or of all flags without a key. */
export const evaluateFlags: CustomRoute = (contract) => {
  const operation = operationOf(contract, FIELD);
  const schema = argumentsSchema(operation);
  const properties = objectOf(schema['properties']);
  return {
    scope: 'flags:read',
    operationId: 'evaluateFlags',
    summary: 'Evaluate feature flags',
    description:
      'An unknown flag, or a failed evaluation, is an answer with an error_code. The reasons are those of OpenFeature.',
    operation: { name: 'EvaluateFlags', field: FIELD },
    body: {
      kind: 'json',
      schema: {
        ...schema,
        properties: { ...properties, context: { ...objectOf(properties['context']), ...CONTEXT } },
      },
      example: { key: 'new-timeline', context: { targeting_key: 'user-17', jurisdiction: 'US-CA' } },
    },
    response: {
      description: 'The evaluation of the named flag, or of all flags.',
      schema: { anyOf: [{ $ref: `${SCHEMA_REF_PREFIX}FlagEvaluation` }, operation.result] },
    },
    handle: async (call) => {
      const { key, type, context } = objectOf(bodyOf(call).value);
      const answer = await call.read(z.looseObject({ evaluations: z.array(z.unknown()) }), { key, type, context });
      return key === undefined ? answer : answer.evaluations[0];
    },
  };
};
