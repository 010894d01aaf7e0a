import { systemClock } from '../../shared/clock/clock.js';
import type { PublicSigningKey, SigningKeys } from '../../shared/contracts/signing-keys.js';
import { ed25519Jwk, ed25519Sign } from '../../shared/crypto/ed25519.js';
import { sha256Hex } from '../../shared/crypto/hash.js';
import { connectDatabase, type Database } from '../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../shared/ids/ids.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { createLogger } from '../../shared/telemetry/logger.js';
import { openMongoWormStore } from '../../shared/worm/open-worm-store.js';
import type { WormStore } from '../../shared/worm/worm-store.js';
import { mongoLedgerStore } from '../../subgraphs/ledger/append/model/ledger-store.js';
import type { TenantContext } from '../../subgraphs/ledger/append/tenant-context.js';
import { prepareLedgerCollections } from '../../subgraphs/ledger/prepare.js';
import { mongoTreeStore } from '../../subgraphs/ledger/transparency/model/tree-store.js';
import { TreeKeeper } from '../../subgraphs/ledger/transparency/tree-keeper.js';
import { proveEvent } from '../../subgraphs/ledger/transparency/tree-proofs.js';
import { TileCache } from '../../subgraphs/ledger/transparency/tree-tiles.js';

// The tree's services on the benchmark's database, over rows of the size that an append writes.

export const TENANT = 't-tree' as TenantId;
const SOURCES = 8;
const RECORD_BYTES = 900;
const ROWS_AT_ONCE = 2_000;

export interface LocalTree {
  /** Appends rows to all chains until there are `count`. */
  fill(count: number): Promise<void>;
  /** Updates the tree; one turn per call, like the recurring job. */
  keep(): Promise<{ readonly assigned: number; readonly turns: number }>;
  /** Returns the hashes of the proof of the n-th entry. @param cold true uses an empty tile cache */
  prove(n: number, cold?: boolean): Promise<number>;
  stop(): Promise<void>;
}

export async function openLocalTree(uri: string): Promise<LocalTree> {
  const database = await connectDatabase(uri, 'eas_bench_tree');
  await database.db.dropDatabase();
  await prepareLedgerCollections(database);
  const ids = ulidIds(() => systemClock.nowMs(), systemRandomness());
  const logger = createLogger('error');
  const limits = { segmentRecords: 1_000_000, segmentBytes: 64 * 1024 * 1024 };
  const worm = await openMongoWormStore({ database, limits, clock: systemClock, ids, logger });
  const trees = mongoTreeStore(database.db);
  const cache = new TileCache();
  const context = contextOf(database, worm);
  const keeper = new TreeKeeper({
    clock: systemClock,
    ids,
    logger,
    deployment: 'bench.localhost',
    signingKeys: oneKey(),
    files: null,
    witnesses: null,
    outbox: { relay: async () => undefined },
    collection: 'ledger_checkpoints',
    tenants: { find: async () => ({ tenant_id: TENANT, log_id: 'log_bench', status: 'ACTIVE' }) },
    contexts: { of: async () => context },
    trees,
    cache,
    openExceptions: async () => [],
    exceptions: { resolve: async () => undefined },
    owner: 'bench',
  });
  let filled = 0;
  return {
    async fill(count) {
      while (filled < count) filled += await appendRows(database, filled, Math.min(ROWS_AT_ONCE, count - filled));
    },
    async keep() {
      let [assigned, turns] = [0, 0];
      for (;;) {
        const turn = await keeper.turn(TENANT, { force: true });
        assigned += turn.assigned;
        turns++;
        if (turn.state === 'idle') return { assigned, turns };
      }
    },
    async prove(n, cold = false) {
      const deps = { trees, cache: cold ? new TileCache() : cache };
      const proof = await proveEvent(deps, context as TenantContext, eventIdOf(n));
      if (!proof) throw new Error('an event of the benchmark is not there');
      return proof.hashes.length;
    },
    async stop() {
      await worm.close();
      await database.db.dropDatabase();
      await database.close();
    },
  };
}

const contextOf = (database: Database, worm: WormStore): Pick<TenantContext, 'tenantId' | 'ledger' | 'worm'> => ({
  tenantId: TENANT,
  ledger: mongoLedgerStore(database.db).forTenant(TENANT),
  worm: worm.forTenant({ tenantId: TENANT, logId: 'log_bench' }),
});

const eventIdOf = (n: number): string => `evt_01JQ${String(n).padStart(22, '0')}`;

async function appendRows(database: Database, from: number, count: number): Promise<number> {
  const record = Buffer.alloc(RECORD_BYTES, 'r');
  const rows = Array.from({ length: count }, (_, i) => {
    const n = from + i;
    const source_system = `source-${n % SOURCES}`;
    const hash = sha256Hex(String(n));
    return {
      _id: { tenant_id: TENANT, source_system, seq: Math.floor(n / SOURCES) + 1 },
      tenant_id: TENANT,
      source_system,
      event_id: eventIdOf(n),
      recorded_at: new Date(systemClock.nowMs()),
      commit: hash,
      fields: hash,
      prev_hash: hash,
      entry_hash: hash,
      record,
      seed: Buffer.alloc(32),
      worm_sha256: hash,
      fact_key: hash,
      duplicate_key: hash,
    };
  });
  await database.db.collection('ledger').insertMany(rows as never[], { ordered: false });
  return count;
}

export function oneKey(): SigningKeys {
  const seed = Buffer.alloc(32, 9);
  const key: PublicSigningKey = {
    key_id: 'bench-key',
    tenant_id: TENANT,
    purpose: 'CHECKPOINT',
    algorithm: 'Ed25519',
    public_key: ed25519Jwk(seed),
    status: 'ACTIVE',
    from: null,
    until: null,
    revocation: null,
    history: [],
  };
  return {
    activeKey: async () => key,
    publicKey: async () => key,
    sign: async (_, bytes) => ed25519Sign(seed, bytes),
    lastSigned: async () => null,
  };
}
