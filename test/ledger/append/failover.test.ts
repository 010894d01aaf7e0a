import { describe, expect, it } from '@jest/globals';
import { type Db, MongoClient } from 'mongodb';
import { systemClock } from '../../../shared/clock/clock.js';
import { CONNECTION_OPTIONS } from '../../../shared/db/connection-options.js';
import { genesisHash } from '../../../shared/evidence/chain.js';
import { MemberTags } from '../../../shared/evidence/member-tag.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { createIndexes } from '../../../shared/records/collections.js';
import { AppendBatch, type Receipt } from '../../../subgraphs/ledger/append/append-batch.js';
import { DuplicateKeys } from '../../../subgraphs/ledger/append/domain/duplicate-key.js';
import type { LedgerRow } from '../../../subgraphs/ledger/append/domain/ledger-row.js';
import { LEDGER, LEDGER_COLLECTION } from '../../../subgraphs/ledger/append/model/collections.js';
import { mongoLedgerStore } from '../../../subgraphs/ledger/append/model/ledger-store.js';
import { PartitionWriter } from '../../../subgraphs/ledger/append/partition-writer.js';
import { eventPreparer } from '../../../subgraphs/ledger/append/prepare-event.js';
import { envelope } from '../../support/envelopes.js';
import { seeded } from '../../support/random.js';
import { FakeReplicaSet } from '../../support/replica-set/replica-set.js';

const STEP_DOWNS = Number(process.env['FAILOVER_STEP_DOWNS'] ?? 60);
const FIRST_SEED = Number(process.env['FAILOVER_SEED'] ?? 1);
const STEP_DOWNS_OF_A_SEED = Math.min(20, STEP_DOWNS);
const CLIENTS = 6;
const SEEDS_AT_ONCE = 5;
const MAX_EVENTS_OF_A_REQUEST = 4;

const TENANT = 't-acme';
const SOURCE = 'um-core';
const GENESIS = genesisHash('eas.example/eas/log_1', SOURCE, TENANT);

/** An appender of one chain with its own connection, as a process has it. */
class Appender {
  readonly #client: MongoClient;
  readonly #writer: PartitionWriter;
  readonly #preparer;

  constructor(uri: string) {
    this.#client = new MongoClient(uri, { ...CONNECTION_OPTIONS, minHeartbeatFrequencyMS: 5, socketTimeoutMS: 250 });
    const ids = ulidIds(() => Date.now(), systemRandomness());
    this.#preparer = eventPreparer({ ids, randomness: systemRandomness() }, TENANT, {
      duplicateKeys: new DuplicateKeys(Buffer.alloc(32, 1)),
      memberTags: new MemberTags(Buffer.alloc(32, 2)),
    });
    this.#writer = new PartitionWriter({
      clock: systemClock,
      ledger: mongoLedgerStore(this.#client.db()).forTenant(TENANT),
      worm: { putRecords: async () => {}, presentRecords: async (names: readonly string[]) => new Set(names) } as never,
      tenantId: TENANT,
      sourceSystem: SOURCE,
      genesis: GENESIS,
    });
  }

  get db(): Db {
    return this.#client.db();
  }

  /** Appends envelopes once. @throws UNAVAILABLE */
  async append(names: readonly string[]): Promise<readonly Receipt[]> {
    const batch = new AppendBatch(names.length);
    const events = names.map((name, index) => ({
      index,
      event: this.#preparer.prepare(envelope(name) as JsonObject, '2026-03-02T14:11:10.000Z'),
    }));
    this.#writer.enqueue(batch, events);
    await batch.done;
    return names.flatMap((_, i) => batch.receipts.get(i) ?? []);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** Appends requests, each again until it is acknowledged, until the set has stepped down often enough. */
async function appendUntilDone(set: FakeReplicaSet, appender: Appender, name: string): Promise<Receipt[]> {
  const random = seeded(Number(name.replaceAll(/\D/g, '')));
  const acknowledged: Receipt[] = [];
  for (let request = 0; set.counts.stepDowns < STEP_DOWNS_OF_A_SEED; request++) {
    const count = 1 + Math.floor(random() * MAX_EVENTS_OF_A_REQUEST);
    const names = Array.from({ length: count }, (_, i) => `${name}-${request}-${i}`);
    for (;;) {
      const receipts = await appender.append(names).catch(() => null);
      if (receipts === null) continue;
      acknowledged.push(...receipts);
      break;
    }
  }
  return acknowledged;
}

/** Runs one seed and checks the chain that the majority holds at its end against every acknowledgement. */
async function expectSound(seed: number): Promise<void> {
  const set = new FakeReplicaSet({ seed, rate: 0.4, weights: { held: 3, silent: 0.1 } });
  const uri = await set.start();
  const processes = [new Appender(uri), new Appender(uri)] as const;
  try {
    await createIndexes(processes[0].db, [LEDGER]);
    const clients = Array.from({ length: CLIENTS }, (_, i) =>
      appendUntilDone(set, processes[i % 2] ?? processes[0], `seed-${seed}-client-${i}`),
    );
    const receipts = (await Promise.all(clients)).flat();
    set.heal();
    const rows = set
      .durable(LEDGER_COLLECTION)
      .map((row) => row as LedgerRow)
      .sort((a, b) => a._id.seq - b._id.seq);
    const label = { seed };
    expect({ ...label, sequence: rows.map(({ _id }) => _id.seq) }).toEqual({
      ...label,
      sequence: rows.map((_, i) => i + 1),
    });
    const links = rows.map(({ prev_hash }) => prev_hash);
    expect({ ...label, links }).toEqual({
      ...label,
      links: [GENESIS, ...rows.map(({ entry_hash }) => entry_hash)].slice(0, -1),
    });
    const stored = new Map(rows.map((row) => [row.event_id, row]));
    for (const { event_id, sequence, entry_hash } of receipts) {
      const row = stored.get(event_id);
      expect({ ...label, event_id, sequence, entry_hash }).toEqual({
        ...label,
        event_id,
        sequence: row?._id.seq,
        entry_hash: row?.entry_hash,
      });
    }
    expect({ ...label, count: new Set(rows.map(({ duplicate_key }) => duplicate_key)).size }).toEqual({
      ...label,
      count: rows.length,
    });
  } finally {
    await Promise.all(processes.map((each) => each.close()));
    await set.stop();
  }
}

describe('appends of two processes to one chain', () => {
  it('lose nothing acknowledged, leave no gap and no fork while primaries step down', async () => {
    const seeds = Array.from({ length: Math.ceil(STEP_DOWNS / STEP_DOWNS_OF_A_SEED) }, (_, i) => FIRST_SEED + i);
    for (let from = 0; from < seeds.length; from += SEEDS_AT_ONCE) {
      await Promise.all(seeds.slice(from, from + SEEDS_AT_ONCE).map(expectSound));
    }
  });
});
