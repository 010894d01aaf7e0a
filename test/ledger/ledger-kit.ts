import { graphql } from 'graphql';
import type { Principal, RequestContext } from '../../shared/auth/context.js';
import { effectiveScopes, type Scope } from '../../shared/auth/scopes.js';
import { configFrom } from '../../shared/config/config.js';
import type { LedgerFollower } from '../../shared/contracts/ledger-feed.js';
import type { SigningKeys } from '../../shared/contracts/signing-keys.js';
import { MasterKey } from '../../shared/crypto/master-key.js';
import type { Database } from '../../shared/db/database.js';
import type { Subgraph } from '../../shared/graph/subgraph.js';
import { systemRandomness, ulidIds } from '../../shared/ids/ids.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import type { Jobs, RecurringSpec } from '../../shared/jobs/jobs.js';
import { openJobs } from '../../shared/jobs/open-jobs.js';
import type { WorkQueue } from '../../shared/jobs/work-queue.js';
import { openMongoWormStore } from '../../shared/worm/open-worm-store.js';
import type { WormStore } from '../../shared/worm/worm-store.js';
import { build } from '../../subgraphs/ledger/index.js';
import {
  ManualClock,
  NO_CHECKPOINTS,
  NO_SIGNING_KEYS,
  RecordingCustody,
  RecordingDesk,
  RecordingPlatformEvents,
  RecordingSystemLedger,
  recordingLogger,
} from '../support/fakes.js';
import { emptyLedgerCounters } from '../support/ledger-counters.js';
import { MemoryLedgerFeed, NOBODY_FOLLOWS } from '../support/ledger-feed.js';
import { NO_VAULT } from '../support/no-vault.js';

export const TENANT = 'acme-health';
export const logIdOf = (tenantId: string): string => `log_${tenantId}`;

/** The ledger of one process on its own connection. It knows every tenant except the tenant `nobody`. */
export interface LedgerProcess {
  readonly ledger: Subgraph;
  readonly worm: WormStore;
  readonly clock: ManualClock;
  readonly logLines: readonly string[];
  /** Runs an operation as `tenant` and answers its data; throws a GraphFault. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge
  run(operation: string, variables?: Record<string, unknown>, tenant?: string): Promise<any>;
  /** Handles the due rows of a queue. */
  runQueue(name: string): Promise<void>;
  /** Runs recurring work once, as its alarm would. */
  runRecurring(name: string): Promise<void>;
  close(): Promise<void>;
  readonly platformEvents: RecordingPlatformEvents;
}

export class GraphFault extends Error {
  readonly code: string;
  readonly errors: readonly { readonly path: string; readonly code: string }[];

  constructor(original: { readonly code?: string; readonly message: string; readonly details?: { errors?: never[] } }) {
    super(original.message);
    this.code = original.code ?? 'UNKNOWN';
    this.errors = original.details?.errors ?? [];
  }
}

export interface KitSettings {
  readonly clock?: ManualClock;
  readonly segmentRecords?: number;
  readonly segmentBytes?: number;
  /** The scopes of the caller's key; events:read and events:write by default. */
  readonly scopes?: readonly Scope[];
  /** None by default. */
  readonly signingKeys?: SigningKeys;
  /** No person by default. */
  readonly ledgerFollower?: LedgerFollower;
  /** Settings as in the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function startLedger(database: Database, settings: KitSettings = {}): Promise<LedgerProcess> {
  const clock = settings.clock ?? new ManualClock();
  const { logger, lines } = recordingLogger();
  const randomness = systemRandomness();
  const config = configFrom(settings.env ?? {});
  const ids = ulidIds(() => clock.nowMs(), randomness);
  const limits = {
    segmentRecords: settings.segmentRecords ?? 100_000,
    segmentBytes: settings.segmentBytes ?? 64 * 1024 * 1024,
  };
  const worm = await openMongoWormStore({ database, limits, clock, ids, logger });
  const tenants = {
    find: async (tenantId: string) =>
      tenantId === 'nobody'
        ? undefined
        : { tenant_id: tenantId as TenantId, log_id: logIdOf(tenantId), status: 'ACTIVE' as const },
  };
  const masterKey = new MasterKey(Buffer.alloc(32, 7));
  const systemLedger = new RecordingSystemLedger();
  const exceptions = new RecordingDesk();
  const platformEvents = new RecordingPlatformEvents();
  const open = await openJobs({ database, clock, logger, randomness, exceptions }, { alone: true });
  const recurring = new Map<string, RecurringSpec>();
  const queues = new Map<string, WorkQueue>();
  const jobs: Jobs = {
    queue: async (spec) => {
      const queue = await open.queue(spec);
      queues.set(spec.name, queue);
      return queue;
    },
    recurring: (spec) => {
      recurring.set(spec.name, spec);
      open.recurring(spec);
    },
    report: (tenantId) => open.report(tenantId),
    start: () => open.start(),
  };
  const ledger = await build({
    ...NO_VAULT,
    config,
    clock,
    ids,
    randomness,
    logger,
    database,
    masterKey,
    worm,
    tenants,
    systemLedger,
    signingKeys: settings.signingKeys ?? NO_SIGNING_KEYS,
    ledgerCounters: emptyLedgerCounters,
    checkpoints: NO_CHECKPOINTS,
    exceptions,
    custody: new RecordingCustody(),
    platformEvents,
    ledgerFeed: new MemoryLedgerFeed(),
    ledgerFollower: settings.ledgerFollower ?? NOBODY_FOLLOWS,
    jobs,
  });
  return {
    ledger,
    worm,
    clock,
    platformEvents,
    logLines: lines,
    run: (operation, variables = {}, tenant = TENANT) =>
      execute(ledger, operation, variables, contextOf(tenant, settings.scopes)),
    runQueue: async (name) => {
      const queue = queues.get(name);
      if (!queue) throw new Error(`there is no queue ${name}`);
      await queue.runDue();
    },
    runRecurring: async (name) => {
      const spec = recurring.get(name);
      if (!spec) throw new Error(`there is no recurring work ${name}`);
      await spec.run(new AbortController().signal);
    },
    close: async () => {
      await ledger.close();
      await worm.close();
    },
  };
}

async function execute(
  ledger: Subgraph,
  source: string,
  variableValues: Record<string, unknown>,
  contextValue: RequestContext,
) {
  const { data, errors } = await graphql({ schema: ledger.schema, source, variableValues, contextValue });
  const first = errors?.[0];
  if (first) throw new GraphFault((first.originalError ?? first) as ConstructorParameters<typeof GraphFault>[0]);
  return data;
}

function contextOf(tenant: string, granted: readonly Scope[] = ['events:read', 'events:write']): RequestContext {
  const tenantId = tenant as TenantId;
  const principal: Principal = {
    keyId: 'key_01JQ0000000000000000000001',
    keyName: 'test',
    actorId: null,
    tenantId,
    grantedScopes: granted,
    scopes: effectiveScopes(granted),
  };
  return { requestId: 'req_01JQ0000000000000000000001', traceparent: null, workId: null, principal, tenantId };
}

export const INGEST = `mutation($items: [JSON]!, $sizes: [Int!]) {
  ingestEvents(items: $items, byte_sizes: $sizes) { accepted duplicated rejected results } }`;

export const VERIFY = `query($source: String, $from: SafeInteger, $to: SafeInteger) {
  verifyLedger(source_system: $source, from_sequence: $from, to_sequence: $to) {
    valid checked partitions { source_system from_sequence to_sequence checked head_hash }
    breaks { kind source_system sequence event_id detail } not_checked { what why } } }`;

export const EVENTS = `query($member_id: String, $source_system: String, $source_record_id: String, $event_family: String,
  $event_type: String, $outcome: String, $from: String, $to: String, $limit: Int, $cursor: String, $order: String) {
  events(member_id: $member_id, source_system: $source_system, source_record_id: $source_record_id,
    event_family: $event_family, event_type: $event_type, outcome: $outcome, from: $from, to: $to, limit: $limit,
    cursor: $cursor, order: $order) {
    items { event_id sequence source_system source_record_id event_effective_timestamp outcome } next_cursor } }`;

export const EVENT = `query($id: String!) { event(event_id: $id) { event_id tenant_id received_at event_family event_type
  member_id source_system source_record_id event_effective_timestamp outcome payload sequence recorded_at prev_hash
  entry_hash worm_sha256 tree_index state } }`;
