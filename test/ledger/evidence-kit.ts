import { configFrom } from '../../shared/config/config.js';
import type { PublicSigningKey, SigningKeys, SigningPurpose } from '../../shared/contracts/signing-keys.js';
import { ed25519Jwk, ed25519Sign } from '../../shared/crypto/ed25519.js';
import { sha256 } from '../../shared/crypto/hash.js';
import { MasterKey } from '../../shared/crypto/master-key.js';
import type { Database } from '../../shared/db/database.js';
import { problem } from '../../shared/errors/problem.js';
import { systemRandomness, ulidIds } from '../../shared/ids/ids.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import type { JsonObject } from '../../shared/json/strict-json.js';
import type { EffectRelay } from '../../shared/outbox/outbox.js';
import { mongoLedgerStore } from '../../subgraphs/ledger/model/ledger-repository.js';
import { prepareLedgerCollections } from '../../subgraphs/ledger/model/prepare.js';
import { mongoIntegrityStore } from '../../subgraphs/ledger/model/scrub-model.js';
import { CHECKPOINT_COLLECTION } from '../../subgraphs/ledger/model/tree-model.js';
import { mongoTreeStore } from '../../subgraphs/ledger/model/tree-repository.js';
import type { Receipt } from '../../subgraphs/ledger/service/append-batch.js';
import { appendEvents } from '../../subgraphs/ledger/service/append-events.js';
import { AppendSignal } from '../../subgraphs/ledger/service/append-signal.js';
import type { ExceptionDraft } from '../../subgraphs/ledger/service/ports/exception-store.js';
import type { CheckpointRow } from '../../subgraphs/ledger/service/ports/tree-store.js';
import { reconcileLedger } from '../../subgraphs/ledger/service/reconcile-ledger.js';
import { scrubWorm } from '../../subgraphs/ledger/service/scrub-worm.js';
import { sealSegments } from '../../subgraphs/ledger/service/seal-segments.js';
import { TenantContexts } from '../../subgraphs/ledger/service/tenant-context.js';
import { TreeKeeper } from '../../subgraphs/ledger/service/tree-keeper.js';
import { TileCache } from '../../subgraphs/ledger/service/tree-tiles.js';
import { type LedgerVerdict, verifyLedger } from '../../subgraphs/ledger/service/verify-ledger.js';
import { type VerifyInput, VerifyStates } from '../../subgraphs/ledger/service/verify-state.js';
import { envelope } from '../support/envelopes.js';
import { ManualClock, RecordingDesk, recordingLogger } from '../support/fakes.js';
import { openWorm } from '../worm/drivers.js';
import { type Faults, faulty } from './faults.js';

export const SCRUB_EVERY_MS = 60_000;

/** Signing keys in memory; the seed follows from tenant and purpose. */
export class MemorySigningKeys implements SigningKeys {
  readonly #keys = new Map<string, { readonly seed: Buffer; readonly key: PublicSigningKey }>();

  async activeKey(tenantId: TenantId, purpose: SigningPurpose): Promise<PublicSigningKey> {
    const key_id = `${tenantId}:${purpose}`;
    const known = this.#keys.get(key_id);
    if (known) return known.key;
    const seed = sha256(Buffer.from(key_id));
    const key: PublicSigningKey = {
      key_id,
      tenant_id: tenantId,
      purpose,
      algorithm: 'Ed25519',
      public_key: ed25519Jwk(seed),
      status: 'ACTIVE',
      from: '2026-01-01T00:00:00.000Z',
      until: null,
      revocation: null,
      history: [],
    };
    this.#keys.set(key_id, { seed, key });
    return key;
  }

  async sign(keyId: string, bytes: Uint8Array): Promise<Buffer> {
    return ed25519Sign(this.#known(keyId).seed, bytes);
  }

  async publicKey(keyId: string): Promise<PublicSigningKey> {
    return this.#known(keyId).key;
  }

  #known(keyId: string) {
    const known = this.#keys.get(keyId);
    if (!known) throw problem('NOT_FOUND');
    return known;
  }
}

export interface EvidenceSettings {
  readonly clock?: ManualClock;
  readonly keys?: MemorySigningKeys;
  readonly segmentRecords?: number;
  /** Between the services and everything that they read and write. */
  readonly faults?: Faults;
  readonly partRows?: number;
  /** Write-once bytes lie in files there. */
  readonly wormFolder?: string | null;
}

/** The services over the evidence as one process has them, each port open to faults. */
export interface Evidence {
  readonly clock: ManualClock;
  readonly keys: MemorySigningKeys;
  /** What was told to a person, in order. */
  readonly exceptions: (ExceptionDraft & { readonly tenantId: string })[];
  append(tenantId: string, items: readonly JsonObject[]): Promise<ReadonlyMap<number, Receipt>>;
  /** Events of one chain, numbered from `from`. */
  events(tenantId: string, count: number, sourceSystem?: string, from?: number): Promise<ReadonlyMap<number, Receipt>>;
  checkpoint(tenantId: string): Promise<CheckpointRow | null>;
  seal(tenantId: string): Promise<number>;
  scrub(tenantId: string): Promise<void>;
  reconcile(tenantId: string): Promise<void>;
  verify(tenantId: string, input?: VerifyInput): Promise<LedgerVerdict>;
  close(): Promise<void>;
}

const NO_RELAY: EffectRelay = { relay: async () => undefined };
export const evidenceLogId = (tenantId: string): string => `log_${tenantId}`;

const preparing = new WeakMap<Database, Promise<void>>();

/** Once a database: a test opens many processes on it. */
function prepared(database: Database): Promise<void> {
  const known = preparing.get(database) ?? prepareLedgerCollections(database);
  preparing.set(database, known);
  return known;
}

export async function openEvidence(database: Database, settings: EvidenceSettings = {}): Promise<Evidence> {
  const { clock = new ManualClock(), keys = new MemorySigningKeys(), segmentRecords = 100_000, faults } = settings;
  await prepared(database);
  const { logger } = recordingLogger();
  const randomness = systemRandomness();
  const ids = ulidIds(() => clock.nowMs(), randomness);
  const limits = { segmentRecords, segmentBytes: 16 * 1024 * 1024 };
  const store = await openWorm({ database, limits, clock, ids, logger }, settings.wormFolder ?? null);
  const exceptions: (ExceptionDraft & { readonly tenantId: string })[] = [];
  const openExceptions = faulty(async (tenantId: string, drafts: readonly ExceptionDraft[]) => {
    exceptions.push(...drafts.map((draft) => ({ ...draft, tenantId })));
    return [];
  }, faults);
  const config = configFrom({});
  const masterKey = new MasterKey(Buffer.alloc(32, 7));
  const signingKeys = faulty(keys, faults);
  const tenants = {
    find: async (tenantId: string) => ({
      tenant_id: tenantId as TenantId,
      log_id: evidenceLogId(tenantId),
      status: 'ACTIVE' as const,
    }),
  };
  const ledgers = mongoLedgerStore(database.db);
  const trees = mongoTreeStore(database.db);
  const treeOf = (tenantId: string) => faulty(trees(tenantId), faults);
  const contexts = new TenantContexts({
    config,
    clock,
    ids,
    randomness,
    masterKey,
    tenants,
    worm: { forTenant: (tenant) => faulty(store.forTenant(tenant), faults), close: () => store.close() },
    store: {
      forTenant: (tenantId) => faulty(ledgers.forTenant(tenantId), faults),
      tenantIds: () => ledgers.tenantIds(),
    },
    appended: new AppendSignal(),
    trees: treeOf,
  });
  const integrity = mongoIntegrityStore(database.db);
  const deps = { clock, openExceptions, signingKeys, partRows: settings.partRows ?? 20_000 };
  const keeper = new TreeKeeper({
    ...deps,
    ids,
    logger,
    tenants,
    contexts,
    trees: treeOf,
    cache: new TileCache(),
    owner: `test-${clock.nowMs()}-${Math.random()}`,
    deployment: config.origin,
    witnesses: null,
    exceptions: new RecordingDesk(),
    files: null,
    outbox: NO_RELAY,
    collection: CHECKPOINT_COLLECTION,
  });
  const evidence = async (tenantId: string) => {
    const context = await contexts.of(tenantId);
    const { ledger, worm, genesis } = context;
    const upkeep = faulty(store.upkeepOf({ tenantId: tenantId as TenantId, logId: evidenceLogId(tenantId) }), faults);
    const tenantIntegrity = faulty(integrity(tenantId), faults);
    return { context, ledger, worm, genesis, upkeep, tenantId, tree: treeOf(tenantId), integrity: tenantIntegrity };
  };
  const append = async (tenantId: string, items: readonly JsonObject[]) =>
    appendEvents(
      deps,
      await contexts.of(tenantId),
      items.map((item, index) => ({ index, envelope: item })),
    );
  return {
    clock,
    keys,
    exceptions,
    append,
    events: (tenantId, count, source_system = 'um-core', from = 0) =>
      append(
        tenantId,
        Array.from({ length: count }, (_, n) => envelope(from + n, { source_system }) as JsonObject),
      ),
    checkpoint: (tenantId) => keeper.force(tenantId as TenantId),
    seal: async (tenantId) => {
      const { upkeep } = await evidence(tenantId);
      const sealing = {
        ...deps,
        append: (entries: readonly object[]) => append(tenantId, entries as readonly JsonObject[]),
      };
      return sealSegments(sealing, tenantId as TenantId, upkeep);
    },
    scrub: async (tenantId) => scrubWorm(deps, await evidence(tenantId), SCRUB_EVERY_MS),
    reconcile: async (tenantId) => reconcileLedger(deps, await evidence(tenantId)),
    verify: async (tenantId, input = {}) =>
      verifyLedger(deps, await evidence(tenantId), new VerifyStates(masterKey, tenantId), input),
    close: () => store.close(),
  };
}
