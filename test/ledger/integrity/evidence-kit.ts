import { configFrom } from '../../../shared/config/config.js';
import type { PublicSigningKey, SigningKeys, SigningPurpose } from '../../../shared/contracts/signing-keys.js';
import { ed25519Jwk, ed25519Sign } from '../../../shared/crypto/ed25519.js';
import { sha256 } from '../../../shared/crypto/hash.js';
import { MasterKey } from '../../../shared/crypto/master-key.js';
import type { Database } from '../../../shared/db/database.js';
import { problem } from '../../../shared/errors/problem.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import type { Receipt } from '../../../subgraphs/ledger/append/append-batch.js';
import { appendEvents } from '../../../subgraphs/ledger/append/append-events.js';
import { AppendSignal } from '../../../subgraphs/ledger/append/append-signal.js';
import { mongoLedgerStore } from '../../../subgraphs/ledger/append/model/ledger-store.js';
import { TenantContexts } from '../../../subgraphs/ledger/append/tenant-context.js';
import type { ExceptionDraft } from '../../../subgraphs/ledger/exceptions/ports.js';
import { stateFacts } from '../../../subgraphs/ledger/facts/local-facts.js';
import { mongoFactRows } from '../../../subgraphs/ledger/facts/model.js';
import { mongoIntegrityStore } from '../../../subgraphs/ledger/integrity/model.js';
import { reconcileLedger } from '../../../subgraphs/ledger/integrity/reconcile-ledger.js';
import { scrubWorm } from '../../../subgraphs/ledger/integrity/scrub-worm.js';
import { sealSegments } from '../../../subgraphs/ledger/integrity/seal-segments.js';
import { type LedgerVerdict, verifyLedger } from '../../../subgraphs/ledger/integrity/verify-ledger.js';
import {
  type AnchorSources,
  NO_ANCHOR_SOURCES,
  type VerifyInput,
  VerifyStates,
} from '../../../subgraphs/ledger/integrity/verify-state.js';
import { prepareLedgerCollections } from '../../../subgraphs/ledger/prepare.js';
import { mongoRepairStore } from '../../../subgraphs/ledger/repair/model.js';
import {
  type RepairedTenant,
  type RepairLine,
  type RepairOrder,
  repairLedger,
} from '../../../subgraphs/ledger/repair/repair-ledger.js';
import type { FoldedEntry } from '../../../subgraphs/ledger/state-map/domain/map-ops.js';
import { mongoMapStore } from '../../../subgraphs/ledger/state-map/model/map-store.js';
import { foldReader } from '../../../subgraphs/ledger/state-map/model/read-entries.js';
import type { FoldReader } from '../../../subgraphs/ledger/state-map/ports.js';
import { openStateMap } from '../../../subgraphs/ledger/state-map/wiring.js';
import { CHECKPOINT_COLLECTION } from '../../../subgraphs/ledger/transparency/model/collections.js';
import { mongoTreeStore } from '../../../subgraphs/ledger/transparency/model/tree-store.js';
import type { CheckpointRow } from '../../../subgraphs/ledger/transparency/ports/tree-store.js';
import { SignedLeaves } from '../../../subgraphs/ledger/transparency/signed-leaves.js';
import { TreeKeeper } from '../../../subgraphs/ledger/transparency/tree-keeper.js';
import { TileCache } from '../../../subgraphs/ledger/transparency/tree-tiles.js';
import { openWorm, type WormPlace } from '../../shared/worm/drivers.js';
import { envelope } from '../../support/envelopes.js';
import { ManualClock, RecordingDesk, recordingLogger } from '../../support/fakes.js';
import { type Faults, faulty } from '../append/faults.js';

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

  async lastSigned(): Promise<null> {
    return null;
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
  readonly anchors?: AnchorSources;
  /** Checkpoints carry the state map. */
  readonly maps?: true;
  /** A keeper of the map that folds something else than the entries. */
  readonly foldedAs?: (entry: FoldedEntry) => FoldedEntry;
  /** Write-once bytes lie there. */
  readonly wormFolder?: WormPlace;
}

/** The services over the evidence as one process has them, each port open to faults. */
export interface Evidence {
  readonly clock: ManualClock;
  readonly keys: MemorySigningKeys;
  readonly contexts: TenantContexts;
  readonly lines: readonly string[];
  /** Messages to a person, in order. */
  readonly exceptions: (ExceptionDraft & { readonly tenantId: string })[];
  append(tenantId: string, items: readonly JsonObject[]): Promise<ReadonlyMap<number, Receipt>>;
  /** Events of one chain, numbered from `from`. */
  events(tenantId: string, count: number, sourceSystem?: string, from?: number): Promise<ReadonlyMap<number, Receipt>>;
  checkpoint(tenantId: string): Promise<CheckpointRow | null>;
  seal(tenantId: string): Promise<number>;
  scrub(tenantId: string): Promise<void>;
  reconcile(tenantId: string): Promise<void>;
  verify(tenantId: string, input?: VerifyInput): Promise<LedgerVerdict>;
  /** @param over replaces parts of the tenant's stores */
  repair(
    tenantId: string,
    order?: Partial<RepairOrder>,
    over?: (tenant: RepairedTenant) => Partial<RepairedTenant>,
  ): Promise<readonly RepairLine[]>;
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

const forgedReader = (reader: FoldReader, foldedAs: (entry: FoldedEntry) => FoldedEntry): FoldReader => ({
  entries: async (...range) => (await reader.entries(...range)).map(foldedAs),
});

export async function openEvidence(database: Database, settings: EvidenceSettings = {}): Promise<Evidence> {
  const { clock = new ManualClock(), keys = new MemorySigningKeys(), segmentRecords = 100_000, faults } = settings;
  await prepared(database);
  const { logger, lines } = recordingLogger();
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
    logger,
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
  const append = async (tenantId: string, items: readonly JsonObject[]) =>
    appendEvents(
      { clock, openExceptions },
      await contexts.of(tenantId),
      items.map((item, index) => ({ index, envelope: item })),
    );
  const stored = mongoMapStore(database.db);
  const { maps = false, foldedAs } = settings;
  const stateMap = openStateMap({
    db: database.db,
    clock,
    logger,
    contexts,
    trees: treeOf,
    maps: (tenantId) => faulty(stored(tenantId), faults),
    ...(foldedAs === undefined ? {} : { folded: forgedReader(foldReader(database.db, treeOf), foldedAs) }),
    append: (tenantId, entries) => append(tenantId, entries as readonly JsonObject[]),
  });
  const deps = {
    clock,
    openExceptions,
    ...(maps ? { mapFolds: stateMap.folds } : {}),
    signingKeys,
    partRows: settings.partRows ?? 20_000,
    anchors: settings.anchors ?? NO_ANCHOR_SOURCES,
    recordStates: { page: async () => null },
  };
  const keeper = new TreeKeeper({
    ...deps,
    ids,
    logger,
    tenants,
    contexts,
    trees: treeOf,
    cache: new TileCache(),
    maps: maps ? stateMap.commits : null,
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
    return {
      context,
      logId: evidenceLogId(tenantId),
      ledger,
      worm,
      genesis,
      upkeep,
      tenantId,
      tree: treeOf(tenantId),
      integrity: tenantIntegrity,
      facts: stateFacts(mongoFactRows(database.db, masterKey))(tenantId),
    };
  };
  return {
    contexts,
    lines,
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
    repair: async (tenantId, order = {}, over = () => ({})) => {
      const parts = await evidence(tenantId);
      const disposed = async (eventIds: readonly string[]) => {
        const questions = eventIds.map((id) => ({ subject: { kind: 'disposal' as const, id }, known: null }));
        const answers = await parts.facts.examine(questions);
        return new Set(eventIds.filter((_, i) => (answers[i]?.newer.length ?? 0) > 0));
      };
      const tenant: RepairedTenant = {
        ...parts,
        repairs: mongoRepairStore(database.db, database.db)(tenantId),
        append: (entries) => append(tenantId, entries as readonly JsonObject[]),
        disposed,
      };
      const leaves = new SignedLeaves({ signingKeys, tenants, deployment: config.origin });
      const word = { reason: 'a lost row', actor: { type: 'ACTOR', id: 'operator:ada' }, isApplied: true } as const;
      return repairLedger({ clock, leaves }, { ...tenant, ...over(tenant) }, { ...word, ...order });
    },
    close: async () => {
      await stateMap.close();
      await store.close();
    },
  };
}
