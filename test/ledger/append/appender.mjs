// One appending process, on the compiled code. Arguments: database URI, database name, tenant, own name.

import { systemClock } from '../../../dist/shared/clock/clock.js';
import { configFrom } from '../../../dist/shared/config/config.js';
import { MasterKey } from '../../../dist/shared/crypto/master-key.js';
import { connectDatabase } from '../../../dist/shared/db/database.js';
import { systemRandomness, ulidIds } from '../../../dist/shared/ids/ids.js';
import { createLogger } from '../../../dist/shared/telemetry/logger.js';
import { openMongoWormStore } from '../../../dist/shared/worm/open-worm-store.js';
import { appendEvents } from '../../../dist/subgraphs/ledger/append/append-events.js';
import { AppendSignal } from '../../../dist/subgraphs/ledger/append/append-signal.js';
import { mongoLedgerStore } from '../../../dist/subgraphs/ledger/append/model/ledger-store.js';
import { TenantContexts } from '../../../dist/subgraphs/ledger/append/tenant-context.js';
import { mongoTreeStore } from '../../../dist/subgraphs/ledger/transparency/model/tree-store.js';

const EVENTS = 120;
const BATCH = 10;

const [uri, name, tenantId, own] = process.argv.slice(2);
const database = await connectDatabase(uri, name);
const clock = systemClock;
const randomness = systemRandomness();
const ids = ulidIds(clock.nowMs, randomness);
const limits = { segmentRecords: 100_000, segmentBytes: 64 * 1024 * 1024 };
const worm = await openMongoWormStore({ database, limits, clock, ids, logger: createLogger('silent') });
const contexts = new TenantContexts({
  config: configFrom({}),
  clock,
  ids,
  randomness,
  masterKey: new MasterKey(Buffer.alloc(32, 7)),
  tenants: { find: async () => ({ tenant_id: tenantId, log_id: `log_${tenantId}`, status: 'ACTIVE' }) },
  worm,
  store: mongoLedgerStore(database.db),
  appended: new AppendSignal(),
  trees: mongoTreeStore(database.db),
});
// Each process states separate facts: nothing here conflicts.
const deps = { clock, openExceptions: async () => [] };
const tenant = await contexts.of(tenantId);

const receipts = [];
for (let n = 0; n < EVENTS; n += BATCH) {
  const items = Array.from({ length: BATCH }, (_, i) => ({
    index: i,
    envelope: {
      event_family: 'claim',
      event_type: 'claim_submitted',
      source_system: 'um-core',
      source_record_id: `${own}-${n + i}`,
      event_effective_timestamp: '2026-03-02T14:11:09.123Z',
    },
  }));
  receipts.push(...(await appendEvents(deps, tenant, items)).values());
}
await worm.close();
await database.close();
process.send(receipts, () => process.disconnect());
