import { problem } from '../../../shared/errors/problem.js';
import { Answer, type RouteMaker } from '../../route.js';
import {
  evaluated,
  OFREP_EXAMPLE,
  OFREP_FAILURE,
  OFREP_ONE,
  OFREP_OPERATION,
  OFREP_REQUEST,
  ofrepFlag,
} from './ofrep.js';

const STATUS_OF_UNKNOWN_FLAG = 404;
const STATUS_OF_FAILURE = 400;

export const ofrepEvaluateOne: RouteMaker = () => ({
  method: 'POST',
  path: '/ofrep/v1/evaluate/flags/{key}',
  area: 'feature-flags',
  scope: 'flags:read',
  tenant: 'required',
  summary: 'Evaluate one flag by the OpenFeature protocol',
  description:
    'OFREP, for OpenFeature clients. An unknown flag is a 404, a failed evaluation a 400, both with key, errorCode and errorDetails.',
  operation: OFREP_OPERATION,
  query: {},
  params: { key: 'key' },
  body: { kind: 'json', schema: { type: 'object' }, documentation: OFREP_REQUEST, example: OFREP_EXAMPLE },
  response: { description: 'Value, variant and reason.', schema: OFREP_ONE },
  otherAnswers: {
    '400': { description: 'The flag could not be evaluated, or the request is wrong.', schema: OFREP_FAILURE },
    '404': { description: 'There is no such flag, or no such tenant.', schema: OFREP_FAILURE },
  },
  handle: async (call) => {
    const [found] = (await evaluated(call, call.params['key'] ?? '')).evaluations;
    if (!found) throw problem('INTERNAL', { internal: 'an evaluation by key gave none' });
    if (found.error_code === null) return ofrepFlag(found);
    const status = found.error_code === 'FLAG_NOT_FOUND' ? STATUS_OF_UNKNOWN_FLAG : STATUS_OF_FAILURE;
    return new Answer(status, ofrepFlag(found));
  },
});
