import { problem } from '../../../shared/errors/problem.js';
import type { HealthReport } from '../../route.js';
import type { CustomRoute } from '../../route-table.js';

const CHECK = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['ok', 'failed'] },
    cause: { type: 'string', description: 'Why the check failed.' },
    details: {
      type: 'object',
      description:
        'Of anchors: verdict (VALID, VALID_UNANCHORED, INVALID), anchors and unanchored of the ledger of the operator, as far as they tell without a verification.',
      additionalProperties: true,
    },
  },
  required: ['status'],
};

const HEALTH_SCHEMA = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['ok'] },
    checks: { type: 'object', additionalProperties: CHECK },
  },
  required: ['status', 'checks'],
};

/** Open without a key, so it returns only the names and states of parts. */
export const getHealth: CustomRoute = () => ({
  summary: 'Check the health of the service',
  description:
    'Checks that the process runs and reaches its database. 503 UNAVAILABLE with the cause of each failed check. Open ' +
    'without a key.',
  operationId: 'checkHealth',
  operation: null,
  response: {
    description: 'All checks pass; otherwise 503.',
    schema: HEALTH_SCHEMA,
    example: { status: 'ok', checks: { database: { status: 'ok' } } },
  },
  handle: async ({ services }) => reported(await services.health()),
});

/** For load balancers. Open without a key, so causes are fixed texts and never error messages. */
export const getReadiness: CustomRoute = () => ({
  summary: 'Check whether the service is ready for requests',
  description:
    'Ready: the database answers, the write-once store is readable, the graph is planned and its subgraphs answer. ' +
    'Otherwise, and after the service begins to stop, 503 UNAVAILABLE with the cause of each failed check. Signer and ' +
    'anchors are named, and do not make it unready.',
  operationId: 'checkReadiness',
  operation: null,
  response: {
    description: 'All checks pass; otherwise 503.',
    schema: HEALTH_SCHEMA,
    example: {
      status: 'ok',
      checks: {
        database: { status: 'ok' },
        worm: { status: 'ok' },
        graph: { status: 'ok' },
        lifecycle: { status: 'ok' },
        signer: { status: 'ok' },
        anchors: {
          status: 'ok',
          details: {
            verdict: 'VALID_UNANCHORED',
            anchors: [{ kind: 'SIGNER', name: null, tree_size: 412, at: '2026-03-02T14:11:10.000Z' }],
            unanchored: { since_size: 0, since: null },
          },
        },
      },
    },
  },
  handle: async ({ services }) => reported(await services.readiness()),
});

function reported(report: HealthReport): HealthReport {
  if (report.status !== 'ok') throw problem('UNAVAILABLE', { extra: { checks: report.checks } });
  return report;
}
