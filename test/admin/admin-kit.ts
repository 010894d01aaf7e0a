import { graphql } from 'graphql';
import type { Principal, RequestContext } from '../../shared/auth/context.js';
import { effectiveScopes, type GrantedScope } from '../../shared/auth/scopes.js';
import { configFrom } from '../../shared/config/config.js';
import { MasterKey } from '../../shared/crypto/master-key.js';
import type { Database } from '../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../shared/ids/ids.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import type { Jobs, RecurringSpec } from '../../shared/jobs/jobs.js';
import { type OpenJobs, openJobs } from '../../shared/jobs/open-jobs.js';
import type { WorkQueue } from '../../shared/jobs/work-queue.js';
import { type AdminSubgraph, build } from '../../subgraphs/admin/index.js';
import { DELIVERY_COLLECTION } from '../../subgraphs/admin/webhooks/deliveries/model.js';
import { MESSAGE_COLLECTION } from '../../subgraphs/admin/webhooks/messages/model.js';
import {
  ManualClock,
  NO_CHECKPOINTS,
  RecordingCustody,
  RecordingDesk,
  RecordingPlatformEvents,
  RecordingSystemLedger,
  recordingLogger,
} from '../support/fakes.js';
import { emptyLedgerCounters } from '../support/ledger-counters.js';
import { MemoryLedgerFeed, NOBODY_FOLLOWS } from '../support/ledger-feed.js';
import { NO_VAULT } from '../support/no-vault.js';
import { suiteSigner } from '../support/signer.js';

export interface AdminProcess {
  readonly admin: AdminSubgraph;
  readonly clock: ManualClock;
  readonly logLines: readonly string[];
  readonly systemLedger: RecordingSystemLedger;
  readonly exceptions: RecordingDesk;
  readonly platformEvents: RecordingPlatformEvents;
  readonly ledgerFeed: MemoryLedgerFeed;
  readonly jobs: OpenJobs;
  /** A queue that the subgraph has registered, by its name. */
  readonly queue: (name: string) => WorkQueue;
  /** Runs once what recurs under this name. */
  readonly recur: (name: string) => Promise<void>;
}

export interface ProcessSettings {
  readonly systemLedger?: RecordingSystemLedger;
  readonly origin?: string;
  readonly adminApiKey?: string;
  readonly masterKeyByte?: number;
  readonly clock?: ManualClock;
  readonly ledgerFeed?: MemoryLedgerFeed;
  /** More of the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The admin subgraph as one process builds it on its own connection. */
export async function startAdmin(database: Database, settings: ProcessSettings = {}): Promise<AdminProcess> {
  const clock = settings.clock ?? new ManualClock();
  const { logger, lines } = recordingLogger();
  const systemLedger = settings.systemLedger ?? new RecordingSystemLedger();
  const randomness = systemRandomness();
  const env: Record<string, string> = {
    ...settings.env,
    ...(settings.origin === undefined ? {} : { SERVICE_ORIGIN: settings.origin }),
    ...(settings.adminApiKey === undefined ? {} : { SERVICE_ADMIN_API_KEY: settings.adminApiKey }),
  };
  const exceptions = new RecordingDesk();
  const platformEvents = new RecordingPlatformEvents();
  const ledgerFeed = settings.ledgerFeed ?? new MemoryLedgerFeed();
  const jobs = await openJobs({ database, clock, logger, randomness, exceptions }, { alone: true });
  const queues = new Map<string, WorkQueue>();
  const runs = new Map<string, RecurringSpec['run']>();
  const keep = (queue: WorkQueue): WorkQueue => {
    queues.set(queue.name, queue);
    return queue;
  };
  const recorded: Pick<Jobs, 'recurring' | 'report' | 'start'> = {
    recurring: (spec) => {
      runs.set(spec.name, spec.run);
      jobs.recurring(spec);
    },
    report: (tenantId) => jobs.report(tenantId),
    start: () => jobs.start(),
  };
  const queue = (name: string): WorkQueue => {
    const found = queues.get(name);
    if (!found) throw new Error(`there is no queue ${name}`);
    return found;
  };
  const recur = async (name: string): Promise<void> => {
    const run = runs.get(name);
    if (!run) throw new Error(`nothing recurs as ${name}`);
    await run(new AbortController().signal);
  };
  const admin = await build({
    ...NO_VAULT,
    config: configFrom(env),
    clock,
    ids: ulidIds(() => clock.nowMs(), randomness),
    randomness,
    logger,
    database,
    signer: await suiteSigner(),
    masterKey: new MasterKey(Buffer.alloc(32, settings.masterKeyByte ?? 7)),
    systemLedger,
    ledgerCounters: emptyLedgerCounters,
    checkpoints: NO_CHECKPOINTS,
    exceptions,
    custody: new RecordingCustody(),
    platformEvents,
    ledgerFeed,
    ledgerFollower: NOBODY_FOLLOWS,
    jobs: { ...recorded, queue: async (spec) => keep(await jobs.queue(spec)) },
  });
  await keepWhatIsOld(database);
  return { admin, jobs, queue, recur, exceptions, platformEvents, ledgerFeed, clock, logLines: lines, systemLedger };
}

/** Rows have the time of the test's clock: the database's own clock would expire them. */
async function keepWhatIsOld({ db }: Database): Promise<void> {
  for (const collection of [db.collection(DELIVERY_COLLECTION.name), db.collection(MESSAGE_COLLECTION.name)]) {
    const expiring = (await collection.indexes()).filter((index) => index.expireAfterSeconds !== undefined);
    for (const { name } of expiring) if (name !== undefined) await collection.dropIndex(name).catch(alreadyGone);
  }
}

/** Another process of the test has dropped it meanwhile. */
function alreadyGone(error: unknown): void {
  if ((error as { readonly codeName?: unknown }).codeName !== 'IndexNotFound') throw error;
}

/** A principal as the facade would hand it on. */
export const principalOf = (tenantId: string | null, ...granted: GrantedScope[]): Principal => ({
  keyId: 'key_01JQ0000000000000000000001',
  keyName: 'test',
  actorId: null,
  tenantId: tenantId as TenantId | null,
  grantedScopes: granted,
  scopes: effectiveScopes(granted),
});

/** What came back from the graph: data, or the code and details of the first error. */
export interface GraphAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
  readonly data: any;
  readonly code: string | null;
  readonly message: string | null;
  readonly errors: readonly { readonly path: string; readonly code: string }[];
}

/** Calls of one principal; `named` is the tenant that the request names. */
export function callerOf(
  admin: AdminSubgraph,
  principal: Principal,
  named: string | null = principal.tenantId,
  workId: string | null = null,
) {
  const context: RequestContext = {
    requestId: 'req_1',
    traceparent: null,
    workId,
    principal,
    tenantId: named as TenantId | null,
  };
  const run = async (source: string, variableValues: Record<string, unknown>): Promise<GraphAnswer> => {
    const result = await graphql({ schema: admin.schema, source, variableValues, contextValue: context });
    const first = result.errors?.[0];
    const original = first?.originalError as
      | { code?: string; details?: { errors?: GraphAnswer['errors'] } }
      | undefined;
    return {
      data: result.data,
      code: first ? (original?.code ?? `not a problem: ${first.message}`) : null,
      message: first?.message ?? null,
      errors: original?.details?.errors ?? [],
    };
  };
  const KEY =
    'key_id tenant_id name scopes role_ids actor_id allowed_cidrs prefix last_four status created_at created_by expires_at grace_ends_at rotated_to rotated_from last_used_at last_used_address revoked_at revoked_by';
  const ACTOR = 'actor_id tenant_id name kind status role_ids';
  const TENANT = 'tenant_id name status created_at';
  return {
    createTenant: (tenant_id: string, name = 'A Plan') =>
      run(
        `mutation ($tenant_id: String!, $name: String!) { createTenant(tenant_id: $tenant_id, name: $name) { ${TENANT} } }`,
        {
          tenant_id,
          name,
        },
      ),
    tenant: (tenant_id: string) =>
      run(`query ($tenant_id: String!) { tenant(tenant_id: $tenant_id) { ${TENANT} } }`, { tenant_id }),
    tenants: (args: Record<string, unknown> = {}) =>
      run(
        `query ($limit: Int, $cursor: String, $order: String, $name: String, $status: String, $from: String, $to: String) {
          tenants(limit: $limit, cursor: $cursor, order: $order, name: $name, status: $status, from: $from, to: $to) {
            items { ${TENANT} } next_cursor } }`,
        args,
      ),
    createApiKey: (input: Record<string, unknown>) =>
      run(`mutation ($input: ApiKeyInput!) { createApiKey(input: $input) { ${KEY} api_key } }`, { input }),
    apiKeys: (args: Record<string, unknown> = {}) =>
      run(
        `query ($limit: Int, $cursor: String, $order: String, $name: String, $status: String) {
          apiKeys(limit: $limit, cursor: $cursor, order: $order, name: $name, status: $status) {
            items { ${KEY} } next_cursor } }`,
        args,
      ),
    run,
    apiKey: (key_id: string) => run(`query ($key_id: String!) { apiKey(key_id: $key_id) { ${KEY} } }`, { key_id }),
    rotateApiKey: (key_id: string, input: Record<string, unknown>) =>
      run(
        `mutation ($key_id: String!, $input: RotationInput!) {
          rotateApiKey(key_id: $key_id, input: $input) { ${KEY} api_key } }`,
        { key_id, input },
      ),
    createActor: (input: Record<string, unknown>) =>
      run(`mutation ($input: ActorInput!) { createActor(input: $input) { ${ACTOR} } }`, { input }),
    changeActor: (actor_id: string, input: Record<string, unknown>) =>
      run(
        `mutation ($actor_id: String!, $input: ActorChangeInput!) {
          changeActor(actor_id: $actor_id, input: $input) { ${ACTOR} } }`,
        { actor_id, input },
      ),
    createRole: (input: Record<string, unknown>) =>
      run('mutation ($input: RoleInput!) { createRole(input: $input) { role_id name scopes } }', { input }),
    revokeApiKey: (key_id: string) =>
      run(`mutation ($key_id: String!) { revokeApiKey(key_id: $key_id) { ${KEY} } }`, { key_id }),
  };
}

export type Caller = ReturnType<typeof callerOf>;
