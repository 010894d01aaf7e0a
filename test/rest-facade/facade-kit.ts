import { readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { repositoryFile } from '../../app/repository.js';
import { AnalystEndpoint } from '../../gateway/analyst.js';
import { createExecutor, type GraphExecutor } from '../../gateway/executor.js';
import { SUBGRAPH_DEFINITIONS } from '../../gateway/subgraphs.js';
import { readContract } from '../../rest-facade/contract.js';
import { routeOperations } from '../../rest-facade/operations.js';
import { buildFacade } from '../../rest-facade/server.js';
import type { Principal } from '../../shared/auth/context.js';
import { effectiveScopes, type GrantedScope } from '../../shared/auth/scopes.js';
import { systemClock } from '../../shared/clock/clock.js';
import { configFrom } from '../../shared/config/config.js';
import type { TenantSummary } from '../../shared/contracts/tenants.js';
import { sha256Hex } from '../../shared/crypto/hash.js';
import { MasterKey } from '../../shared/crypto/master-key.js';
import { problem } from '../../shared/errors/problem.js';
import { buildGraph } from '../../shared/graph/subgraph.js';
import type { Contract } from '../../shared/graph/validator.js';
import { systemRandomness, ulidIds } from '../../shared/ids/ids.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { memoryRateLimits } from '../../shared/limits/rate-limits.js';
import { prometheusMetrics } from '../../shared/telemetry/metrics.js';
import type { TenantWorm } from '../../shared/worm/worm-store.js';
import { localDataSources } from '../gateway/local-data-sources.js';
import { RecordingCustody, RecordingDesk } from '../support/fakes.js';
import { standInContainer, useEnvelopeContract } from './stand-in-graph.js';

/** A facade over fake subgraphs: keys, tenants and blobs live in memory. */
export interface FacadeKit {
  readonly server: FastifyInstance;
  readonly contract: Contract;
  readonly executor: GraphExecutor;
  /** Bytes by `tenant/sha256`. */
  readonly blobs: Map<string, Buffer>;
  log(): string;
  readonly health: { failing: boolean };
  inject(options: InjectOptions): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

const WORK_ID = 'wrk_01JQ0000000000000000000001';

export const KEYS = {
  acme: 'key-acme',
  reader: 'key-reader',
  writer: 'key-writer',
  admin: 'key-admin',
  analyst: 'key-analyst',
  suspended: 'key-suspended',
  operator: 'key-operator',
  /** Its look-up finds no database. */
  unreachable: 'key-unreachable',
} as const;

const principal = (tenantId: string | null, ...granted: GrantedScope[]): Principal => ({
  keyId: `key_${tenantId ?? 'operator'}`,
  keyName: 'test',
  actorId: null,
  tenantId: tenantId as TenantId | null,
  grantedScopes: granted,
  scopes: effectiveScopes(granted),
});

const PRINCIPALS: Readonly<Record<string, Principal>> = {
  [KEYS.acme]: principal('acme', 'events:read', 'events:write'),
  [KEYS.reader]: principal('acme', 'events:read'),
  [KEYS.writer]: principal('acme', 'events:write'),
  [KEYS.admin]: principal('acme', 'admin'),
  [KEYS.analyst]: principal('acme', 'graph:query', 'events:read'),
  [KEYS.suspended]: principal('sleepy', 'events:read', 'events:write'),
  [KEYS.operator]: principal(null, '*'),
};

const TENANTS: Readonly<Record<string, TenantSummary>> = {
  acme: { tenant_id: 'acme' as TenantId, log_id: 'log_acme', status: 'ACTIVE' },
  other: { tenant_id: 'other' as TenantId, log_id: 'log_other', status: 'ACTIVE' },
  sleepy: { tenant_id: 'sleepy' as TenantId, log_id: 'log_sleepy', status: 'SUSPENDED' },
};

export async function facadeKit(
  env: Readonly<Record<string, string>> = {},
  overrides: Partial<Parameters<typeof buildFacade>[0]> = {},
): Promise<FacadeKit> {
  let log = '';
  const sink = new Writable({
    write: (chunk, _, done) => {
      log += String(chunk);
      done();
    },
  });
  const logger = pino({ level: 'info' }, sink);
  // As the service reads them; test/gateway/drift.test.ts holds them to the classes.
  const supergraphSdl = await readFile(repositoryFile('gateway/supergraph.graphql'), 'utf8');
  const contract = await readContract(repositoryFile('rest-facade/contract.json'));
  useEnvelopeContract(contract.validator('EventEnvelope'));
  const subgraphs = await Promise.all(
    SUBGRAPH_DEFINITIONS.map(async (it) => ({ name: it.name, ...(await buildGraph(it, standInContainer)) })),
  );
  const executor = await createExecutor({
    supergraphSdl,
    operations: routeOperations(contract.document),
    dataSources: localDataSources(subgraphs, logger),
    logger,
  });
  const blobs = new Map<string, Buffer>();
  const health = { failing: false };
  const metrics = prometheusMetrics();
  const analyst = new AnalystEndpoint(executor);
  const server = buildFacade({
    config: configFrom(env),
    clock: systemClock,
    ids: ulidIds(systemClock.nowMs, systemRandomness()),
    logger,
    keys: { authenticate: async (key) => (key === KEYS.unreachable ? unreachable() : PRINCIPALS[key]) },
    tenants: { find: async (id) => TENANTS[id] },
    worm: { forTenant: ({ tenantId }) => memoryWorm(tenantId, blobs), close: async () => undefined },
    custody: new RecordingCustody(),
    exceptions: new RecordingDesk(),
    personSessions: { open: async () => null },
    sharedNotices: { open: async () => null, acknowledge: async () => null },
    sharedBundles: { open: async () => null, countDownload: async () => false },
    contract,
    run: executor.run,
    graphql: (request, context) => analyst.answer(request, context),
    randomness: systemRandomness(),
    masterKey: new MasterKey(Buffer.alloc(32, 7)),
    metrics,
    limits: memoryRateLimits(systemClock),
    once: { run: async (_request, work) => ({ answer: await work(async () => WORK_ID), replayed: false }) },
    facts: { changedSince: async () => [] },
    documents: { list: async () => ({ items: [], next_cursor: null }) },
    texts: { maxBytes: 0, extract: async () => ({ fault: 'UNSUPPORTED' }) },
    readiness: async () => ({ status: 'ok', checks: {} }),
    health: async () =>
      health.failing
        ? { status: 'degraded', checks: { database: { status: 'failed' } } }
        : { status: 'ok', checks: { database: { status: 'ok' } } },
    ...overrides,
  });
  await server.ready();
  return {
    server,
    contract,
    executor,
    blobs,
    health,
    log: () => log,
    inject: (options) => server.inject(options),
    close: async () => {
      await server.close();
      metrics.stop();
    },
  };
}

function unreachable(): never {
  throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.5 SECRET'), { name: 'MongoServerSelectionError' });
}

function memoryWorm(tenantId: string, blobs: Map<string, Buffer>): TenantWorm {
  return {
    putBlob: async (content: AsyncIterable<Uint8Array>, maxBytes: number) => {
      const chunks: Uint8Array[] = [];
      let sizeBytes = 0;
      for await (const chunk of content) {
        sizeBytes += chunk.length;
        if (sizeBytes > maxBytes) throw problem('PAYLOAD_TOO_LARGE');
        chunks.push(chunk);
      }
      const bytes = Buffer.concat(chunks);
      blobs.set(`${tenantId}/${sha256Hex(bytes)}`, bytes);
      return { sha256: sha256Hex(bytes), sizeBytes, created: true };
    },
  } as unknown as TenantWorm;
}
