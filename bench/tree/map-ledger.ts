import { systemClock } from '../../shared/clock/clock.js';
import { delay } from '../../shared/clock/timers.js';
import { configFrom } from '../../shared/config/config.js';
import { MasterKey } from '../../shared/crypto/master-key.js';
import { connectDatabase } from '../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../shared/ids/ids.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import type { JsonObject } from '../../shared/json/strict-json.js';
import { createLogger } from '../../shared/telemetry/logger.js';
import { openMongoWormStore } from '../../shared/worm/open-worm-store.js';
import { AppendSignal, appendEvents, mongoLedgerStore, TenantContexts } from '../../subgraphs/ledger/append/index.js';
import { prepareLedgerCollections } from '../../subgraphs/ledger/prepare.js';
import { openStateMap } from '../../subgraphs/ledger/state-map/index.js';
import { mongoTreeStore } from '../../subgraphs/ledger/transparency/model/tree-store.js';
import { TreeKeeper } from '../../subgraphs/ledger/transparency/tree-keeper.js';
import { TileCache } from '../../subgraphs/ledger/transparency/tree-tiles.js';
import { benchEnvelope } from '../support/events.js';
import { zipfMembers } from '../support/zipf.js';
import { oneKey } from './local-tree.js';

// A ledger with its tree in this process, with or without the state map: what the map costs an event.

const BATCH_EVENTS = 500;
const TICK_MS = 1_000;
const MEMBERS = 100_000;

/** A ledger of one tenant. */
export interface MapLedger {
  /** Appends events while the tree is kept. @returns events a second, until the last checkpoint. */
  ingest(events: number): Promise<number>;
  /** Folds everything again. @returns seconds, and the root as a text. */
  fold(): Promise<{ readonly seconds: number; readonly isRight: boolean; readonly peakMegabytes: number }>;
  stop(): Promise<void>;
}

export async function openMapLedger(uri: string, name: string, withMap: boolean): Promise<MapLedger> {
  const tenantId = `t-${name}` as TenantId;
  const database = await connectDatabase(uri, `eas_bench_${name}`);
  await prepareLedgerCollections(database);
  const [clock, randomness, logger] = [systemClock, systemRandomness(), createLogger('error')];
  const ids = ulidIds(() => clock.nowMs(), randomness);
  const limits = { segmentRecords: 1_000_000, segmentBytes: 1024 * 1024 * 1024 };
  const worm = await openMongoWormStore({ database, limits, clock, ids, logger });
  const trees = mongoTreeStore(database.db);
  const tenants = {
    find: async () => ({ tenant_id: tenantId, log_id: `log_${name}`, status: 'ACTIVE' as const }),
  };
  const store = mongoLedgerStore(database.db);
  const config = configFrom({});
  const masterKey = new MasterKey(Buffer.alloc(32, 7));
  const appended = new AppendSignal();
  const contexts = new TenantContexts({
    config,
    clock,
    logger,
    ids,
    randomness,
    masterKey,
    tenants,
    worm,
    store,
    appended,
    trees,
  });
  const context = await contexts.of(tenantId);
  const openExceptions = async () => [];
  const append = (entries: readonly JsonObject[]) =>
    appendEvents(
      { clock, openExceptions },
      context,
      entries.map((envelope, index) => ({ index, envelope })),
    );
  const stateMap = openStateMap({
    db: database.db,
    clock,
    logger,
    contexts,
    trees,
    append: (_, entries) => append(entries.map((entry) => ({ ...entry }))),
  });
  const keeper = new TreeKeeper({
    clock,
    ids,
    logger,
    deployment: config.origin,
    signingKeys: oneKey(),
    files: null,
    witnesses: null,
    outbox: { relay: async () => undefined },
    collection: 'ledger_checkpoints',
    tenants,
    contexts,
    trees,
    cache: new TileCache(),
    maps: withMap ? stateMap.commits : null,
    openExceptions,
    exceptions: { resolve: async () => undefined },
    owner: 'bench',
  });
  const memberOf = zipfMembers(MEMBERS);
  let sent = 0;
  return {
    ingest: async (events) => {
      const end = sent + events;
      let isOver = false;
      const keeping = (async () => {
        for (; !isOver; await delay(TICK_MS)) await keeper.turn(tenantId);
      })();
      const startMs = performance.now();
      for (; sent < end; sent += BATCH_EVENTS) {
        const batch = Array.from({ length: BATCH_EVENTS }, (_, i) => ({
          ...benchEnvelope(sent + i, `source-${i % 4}`),
          member_id: `M-${memberOf(sent + i)}`,
        }));
        await append(batch as JsonObject[]);
      }
      isOver = true;
      await keeping;
      await keeper.force(tenantId);
      return events / ((performance.now() - startMs) / 1_000);
    },
    fold: async () => {
      let peak = 0;
      const watch = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage().rss);
      }, 50);
      const startMs = performance.now();
      let finding = null;
      let id: string | null = null;
      while (finding === null) ({ id, finding } = await stateMap.folds.step(tenantId, id));
      clearInterval(watch);
      const isRight = finding.map !== null && finding.folded === finding.map.root;
      return { seconds: (performance.now() - startMs) / 1_000, isRight, peakMegabytes: peak / 2 ** 20 };
    },
    stop: async () => {
      await stateMap.close();
      await worm.close();
      await database.db.dropDatabase();
      await database.close();
    },
  };
}
