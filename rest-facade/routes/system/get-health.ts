import { problem } from '../../../shared/errors/problem.js';
import type { RouteMaker } from '../../route.js';

const CHECK = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['ok', 'failed'] },
    cause: { type: 'string', description: 'Why not.' },
  },
  required: ['status'],
};

export const HEALTH_SCHEMA = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['ok'] },
    checks: { type: 'object', additionalProperties: CHECK },
  },
  required: ['status', 'checks'],
};

/** Open, so it names parts and states and nothing else. */
export const getHealth: RouteMaker = () => ({
  method: 'GET',
  path: '/v1/healthz',
  area: 'healthz',
  scope: null,
  tenant: 'none',
  summary: 'Tell whether the service can serve',
  operation: null,
  response: {
    description: 'Every part is well; otherwise 503.',
    schema: HEALTH_SCHEMA,
    example: { status: 'ok', checks: { database: { status: 'ok' } } },
  },
  handle: async ({ services }) => {
    const report = await services.health();
    if (report.status !== 'ok') throw problem('UNAVAILABLE', { extra: { checks: report.checks } });
    return report;
  },
});
