import { Closing } from '../../../app/closing.js';
import { buildLocalSubgraphs } from '../../../app/local-subgraphs.js';
import { openStores } from '../../../app/stores.js';
import { subgraphClient } from '../../../gateway/subgraph-client.js';
import type { RequestContext } from '../../../shared/auth/context.js';
import { effectiveScopes, type GrantedScope } from '../../../shared/auth/scopes.js';
import { configFrom } from '../../../shared/config/config.js';
import { uploadTicket } from '../../../shared/crypto/upload-ticket.js';
import type { Database } from '../../../shared/db/database.js';
import type { SubgraphName } from '../../../shared/graph/subgraph-names.js';
import { isTenantId, type TenantId } from '../../../shared/ids/tenant.js';
import { sealSegments } from '../../../subgraphs/ledger/integrity/seal-segments.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { ManualClock, recordingLogger } from '../../support/fakes.js';
import { signerFolder } from '../../support/signer.js';

// Every subgraph of the service in one process on a throw-away database, under a clock that can be set ten years ahead.

export const YEAR_MS = 365.25 * 24 * 3_600_000;

export interface VaultProcess {
  readonly clock: ManualClock;
  readonly local: Awaited<ReturnType<typeof buildLocalSubgraphs>>;
  readonly logLines: readonly string[];
  readonly worm: Awaited<ReturnType<typeof openStores>>['worm'];
  readonly database: Awaited<ReturnType<typeof openStores>>['base']['database'];
  /** Asks a subgraph as a tenant's administrator by default. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge
  ask(subgraph: SubgraphName, tenant: TenantId, document: string, variables?: object, keyId?: string): Promise<any>;
  tenant(name: string): Promise<TenantId>;
  close(): Promise<void>;
}

export interface VaultSettings {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: ManualClock;
  /** Replaces the database of the process: see faulty-database.ts. */
  readonly through?: (database: Database) => Database;
}

export async function openVault(server: TestServer, settings: VaultSettings = {}): Promise<VaultProcess> {
  const clock = settings.clock ?? new ManualClock();
  const { logger, lines } = recordingLogger();
  const closing = new Closing();
  const config = configFrom({
    SERVICE_MASTER_KEY: '07'.repeat(32),
    SERVICE_SIGNER_DIR: signerFolder(),
    ...settings.env,
  });
  const database = Promise.resolve({
    uri: server.uriOf('vault'),
    description: 'a database of a test',
    engine: 'embedded' as const,
    stop: async () => undefined,
  });
  const stores = await openStores(config, { clock, logger, database }, logger, closing);
  const { base } = stores;
  const { through = (same) => same } = settings;
  const local = await buildLocalSubgraphs({ ...stores, base: { ...base, database: through(base.database) } }, closing);
  const context = (tenantId: TenantId | null, granted: readonly GrantedScope[], keyId: string): RequestContext => ({
    requestId: 'req_01JQ0000000000000000000001',
    traceparent: null,
    workId: null,
    tenantId,
    principal: {
      keyId,
      keyName: 'test',
      actorId: null,
      tenantId,
      grantedScopes: granted,
      scopes: effectiveScopes(granted),
    },
  });
  return {
    clock,
    local,
    logLines: lines,
    worm: stores.worm,
    database: stores.base.database,
    ask: (subgraph, tenant, document, variables = {}, keyId = 'key_01JQ0000000000000000000001') =>
      subgraphClient(local.sources, subgraph).run(
        document,
        variables as Readonly<Record<string, unknown>>,
        context(tenant, ['admin'], keyId),
      ),
    tenant: async (name) => {
      if (!isTenantId(name)) throw new Error('no name of a tenant');
      const made =
        'mutation($tenant_id: String!, $name: String!) { createTenant(tenant_id: $tenant_id, name: $name) { tenant_id } }';
      const admin = subgraphClient(local.sources, 'admin');
      await admin.run(made, { tenant_id: name, name }, context(null, ['*'], 'key_01JQ0000000000000000000000'));
      return name;
    },
    close: () => closing.run(),
  };
}

export { startTestServer, type TestServer };

export async function wormOfTenant(vault: VaultProcess, tenantId: TenantId) {
  const tenant = await vault.local.deps.tenants.find(tenantId);
  if (!tenant) throw new Error('no such tenant');
  const named = { tenantId, logId: tenant.log_id };
  return { worm: vault.worm.forTenant(named), upkeep: vault.worm.upkeepOf(named) };
}

/** Stores a text; its hash. */
export async function storeBlob(vault: VaultProcess, tenantId: TenantId, text: string): Promise<string> {
  const { worm } = await wormOfTenant(vault, tenantId);
  const content = (async function* () {
    yield Buffer.from(text);
  })();
  return (await worm.putBlob(content, 1_000_000)).sha256;
}

const TAKE = 'mutation($input: DocumentUploadInput!) { takeDocument(input: $input) { document_id } }';

/** Makes a document of a stored text; its identifier. */
export async function takeDocument(
  vault: VaultProcess,
  tenantId: TenantId,
  sha256: string,
  members: object = {},
): Promise<string> {
  const { worm } = await wormOfTenant(vault, tenantId);
  const content = { sha256, size: (await worm.blobSize(sha256)) ?? 0 };
  const ticket = uploadTicket(vault.local.deps.masterKey, tenantId, content);
  const input = { ...content, ticket, filename: 'a.txt', media_type: 'text/plain', ...members };
  return (await vault.ask('vault', tenantId, TAKE, { input })).takeDocument.document_id;
}

export async function sealTenant(vault: VaultProcess, tenantId: TenantId): Promise<void> {
  const { upkeep } = await wormOfTenant(vault, tenantId);
  const { clock, signingKeys, systemLedger } = vault.local.deps;
  const sealing = {
    clock,
    signingKeys,
    openExceptions: async () => [],
    append: (entries: Parameters<typeof systemLedger.append>[1]) => systemLedger.append(tenantId, entries),
  };
  await sealSegments(sealing, tenantId, upkeep);
}

const INGEST = `mutation($items: [JSON]!) { ingestEvents(items: $items) { results } }`;
const PLACE = `mutation($input: LegalHoldInput!) { placeLegalHold(input: $input) {
  hold_id status counts { events documents refused_deletions } } }`;
const RELEASE = `mutation($id: String!, $input: LegalHoldReleaseInput!) {
  releaseLegalHold(hold_id: $id, input: $input) { hold_id status } }`;
const SWEEP = `mutation($dry: Boolean) { sweepRetention(dry_run: $dry) { sweep_id dry_run complete segments_dropped
  events { past_age disposed held damaged } documents { past_age disposed held damaged } } }`;
const HOLD = `query($id: String!) { legalHold(hold_id: $id) { status listed_at counts { events documents refused_deletions } } }`;
const TOMBSTONES = `query($id: String!) { holdTombstones(hold_id: $id, limit: 500) { items { kind id refused_deletions } } }`;
const EVENT = `query($id: String!) { event(event_id: $id) { event_id state } }`;
const VERIFY = `query($depth: String) { verifyLedger(depth: $depth) { valid checked breaks { kind source_system sequence event_id detail } } }`;

/** What a hold is placed with. */
export const HOLD_WORDS = { name: 'Doe v. Acme', reason: 'Complaint served.' };
export const AUTHORITY = {
  authority: { kind: 'COURT_ORDER', reference: 'Dkt. 88' },
  reason: 'Dismissed.',
  released_by: 'General Counsel',
};

/** The acts of a test, in a tenant. */
export class Acts {
  readonly #vault: VaultProcess;
  readonly tenant: TenantId;

  constructor(vault: VaultProcess, tenant: TenantId) {
    this.#vault = vault;
    this.tenant = tenant;
  }

  /** Events of these names; their ids. */
  async ingest(
    names: readonly (number | string)[],
    members: Readonly<Record<string, unknown>> = {},
  ): Promise<string[]> {
    const at = new Date(this.#vault.clock.nowMs()).toISOString();
    const items = names.map((name) => ({ ...envelope(name as number), event_effective_timestamp: at, ...members }));
    const { ingestEvents } = await this.#vault.ask('ledger', this.tenant, INGEST, { items });
    return ingestEvents.results.map((row: { event_id: string }) => row.event_id);
  }

  async hold(scope: object, more: object = {}): Promise<string> {
    const input = { ...HOLD_WORDS, scope, ...more };
    return (await this.#vault.ask('vault', this.tenant, PLACE, { input })).placeLegalHold.hold_id;
  }

  release(id: string, input: object = AUTHORITY) {
    return this.#vault.ask('vault', this.tenant, RELEASE, { id, input });
  }

  async sweep(dry = false) {
    return (await this.#vault.ask('vault', this.tenant, SWEEP, { dry })).sweepRetention;
  }

  async readHold(id: string) {
    return (await this.#vault.ask('vault', this.tenant, HOLD, { id })).legalHold;
  }

  async tombstones(id: string): Promise<{ kind: string; id: string; refused_deletions: number }[]> {
    return (await this.#vault.ask('vault', this.tenant, TOMBSTONES, { id })).holdTombstones.items;
  }

  /** INCLUDED or REDACTED, or the code of the refusal. */
  async stateOf(eventId: string): Promise<string> {
    try {
      return (await this.#vault.ask('ledger', this.tenant, EVENT, { id: eventId })).event?.state ?? 'UNKNOWN';
    } catch (error) {
      return String((error as { code?: unknown }).code);
    }
  }

  async verify(): Promise<{ valid: boolean; breaks: { kind: string; event_id: string | null; detail: string }[] }> {
    return (await this.#vault.ask('ledger', this.tenant, VERIFY, {})).verifyLedger;
  }
}
