import { problem } from '../../../shared/errors/problem.js';
import type { RouteMaker } from '../../route.js';
import { HEALTH_SCHEMA } from './get-health.js';

/** For load balancers: whether to send requests here. Open, so causes are words of ours and never an error's text. */
export const getReadiness: RouteMaker = () => ({
  method: 'GET',
  path: '/v1/healthz/ready',
  area: 'healthz',
  scope: null,
  tenant: 'none',
  summary: 'Tell whether requests should be sent here',
  description:
    'Ready: the database answers, the write-once store can be read, the graph is planned and its subgraphs answer. ' +
    'Otherwise, and from the moment that the service begins to stop, 503 UNAVAILABLE with the cause of each failed check.',
  operation: null,
  response: {
    description: 'Every check is well; otherwise 503.',
    schema: HEALTH_SCHEMA,
    example: {
      status: 'ok',
      checks: {
        database: { status: 'ok' },
        worm: { status: 'ok' },
        graph: { status: 'ok' },
        lifecycle: { status: 'ok' },
      },
    },
  },
  handle: async ({ services }) => {
    const report = await services.readiness();
    if (report.status !== 'ok') throw problem('UNAVAILABLE', { extra: { checks: report.checks } });
    return report;
  },
});
