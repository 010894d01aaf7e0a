import { Answer, type RouteMaker } from '../../route.js';
import {
  etagOf,
  evaluated,
  OFREP_ALL,
  OFREP_EXAMPLE,
  OFREP_GENERAL_FAILURE,
  OFREP_OPERATION,
  OFREP_REQUEST,
  ofrepFlag,
  tagMatches,
} from './ofrep.js';

/** The tag covers the whole answer, so it changes with the flags and with the context. */
export const ofrepEvaluateAll: RouteMaker = () => ({
  method: 'POST',
  path: '/ofrep/v1/evaluate/flags',
  area: 'feature-flags',
  scope: 'flags:read',
  tenant: 'required',
  summary: 'Evaluate all flags by the OpenFeature protocol',
  description: 'OFREP bulk evaluation. With If-None-Match of the last ETag: 304 when nothing has changed.',
  operation: OFREP_OPERATION,
  query: {},
  body: { kind: 'json', schema: { type: 'object' }, documentation: OFREP_REQUEST, example: OFREP_EXAMPLE },
  response: { description: 'Every flag of the tenant.', schema: OFREP_ALL },
  otherAnswers: {
    '304': { description: 'Nothing has changed since If-None-Match.', schema: {} },
    '400': { description: 'The context cannot be read, or the request.', schema: OFREP_GENERAL_FAILURE },
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
