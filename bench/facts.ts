import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Closing } from '../app/closing.js';
import { buildLocalSubgraphs } from '../app/local-subgraphs.js';
import { openStores } from '../app/stores.js';
import { startChild } from '../embedded-mongo/index.js';
import { configFrom } from '../shared/config/config.js';
import { openFacts } from '../shared/facts/project-facts.js';
import { OPERATOR_TENANT } from '../shared/ids/tenant.js';
import { Outbox } from '../shared/outbox/outbox.js';
import { performersOver } from '../shared/outbox/performers.js';
import { declareCollection } from '../shared/records/collections.js';
import { recordStore } from '../shared/records/record-store.js';
import { type RecordKind, RecordSteps, serviceTaker } from '../shared/records/steps.js';
import type { SteppedRow } from '../shared/records/stored.js';
import { stateMachine } from '../shared/state-machine/state-machine.js';
import { createLogger } from '../shared/telemetry/logger.js';
import { describeRun, type Ratio, ratioOf, timed } from './support/measure.js';

// Measures changes of a record that facts commit against the same changes of the same record by its row, whose pending
// effect writes the ledger entry. Both answer when row and entry are durable.

const ROUNDS = 7;
const CHANGES = 400;
const LANES = 8;
/** A change by fact may cost 1.3 of a change by row. */
const AIM = 1 / 1.3;

interface Row extends SteppedRow {
  readonly matter_id: string;
  readonly status: 'OPEN';
  readonly name: string;
  readonly description: string;
}
type Action = 'create' | 'update';

const MACHINE = stateMachine<'OPEN', Action>('record of the benchmark', [
  { from: null, action: 'create', to: 'OPEN', scope: 'matters:write', emits: ['bench.created'] },
  { from: 'OPEN', action: 'update', to: 'OPEN', scope: 'matters:write', emits: ['bench.updated'] },
]);

const KIND = {
  machine: MACHINE,
  idKind: 'matter',
  id: 'matter_id',
  noun: 'record',
  family: 'bench',
  payload: ({ matter_id }, step) => ({ matter_id, ...step }),
} as const satisfies RecordKind<Row, 'matter_id'>;

const BY_FACT = declareCollection('bench_by_fact');
const BY_ROW = declareCollection('bench_by_row');
const FACTS = { kind: 'matter', evidential: ['name', 'description', 'status', 'revision'] } as const;

type Steps = RecordSteps<Row, 'matter_id'>;

/** Compares changes per second: each lane changes one record. */
export async function benchFacts(): Promise<Ratio> {
  const closing = new Closing();
  try {
    const { byFact, byRow } = await openBoth(closing);
    const lines: string[] = [];
    const pairs: [number, number][] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const facts = await changes(byFact);
      const rows = await changes(byRow);
      // The first round warms both up.
      if (round === 0) continue;
      pairs.push([facts.perSecond, rows.perSecond]);
      lines.push(describeRun('changes by fact', facts), describeRun('changes by row', rows));
    }
    return ratioOf('changes by fact / changes by row', AIM, pairs, lines);
  } finally {
    await closing.run();
  }
}

/** Every subgraph in this process on a database in another process; no background work runs. */
async function openBoth(closing: Closing): Promise<{ readonly byFact: Steps; readonly byRow: Steps }> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-bench-'));
  closing.add(() => rm(folder, { recursive: true, force: true }));
  const config = configFrom({ SERVICE_DATA_DIR: join(folder, 'service'), SERVICE_LOG_LEVEL: 'error' });
  const { uri, stop } = await startChild({ dataDir: join(folder, 'embedded') });
  const database = Promise.resolve({ uri, stop, description: 'the benchmark', engine: 'external' as const });
  const logger = createLogger(config.logLevel);
  const stores = await openStores(config, { logger, database }, logger, closing);
  const { deps } = await buildLocalSubgraphs(stores, closing);
  const { db } = deps.database;
  const outbox = new Outbox({ ...deps, performers: performersOver(deps) }, [BY_ROW.name]);
  const taker = serviceTaker(deps.ids, 'service:bench');
  const common = { id: 'matter_id' } as const;
  const byFact = recordStore<Row>(
    { db, outbox, guard: openFacts(deps, 'bench') },
    { ...common, collection: BY_FACT, facts: FACTS },
  );
  const byRow = recordStore<Row>({ db, outbox }, { ...common, collection: BY_ROW });
  const { clock } = deps;
  return {
    byFact: new RecordSteps({ ...KIND, facts: true }, { clock, taker, rows: byFact(OPERATOR_TENANT) }),
    byRow: new RecordSteps<Row, 'matter_id'>(KIND, { clock, taker, rows: byRow(OPERATOR_TENANT) }),
  };
}

async function changes(steps: Steps) {
  const made = await Promise.all(
    Array.from({ length: LANES }, () => steps.create(() => ({ name: 'Benchmark v. Baseline', description: '' }))),
  );
  let changed = 0;
  return timed(LANES, LANES, async (lane) => {
    const id = made[lane]?.matter_id ?? '';
    for (let n = 0; n < CHANGES / LANES; n++) {
      await steps.take(id, 'update', { change: () => ({ description: `Change ${changed++} of the record.` }) });
    }
    return CHANGES / LANES;
  });
}
