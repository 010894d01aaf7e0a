import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../shared/db/database.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ManualClock } from '../../support/fakes.js';
import { type Evidence, MemorySigningKeys, openEvidence } from '../integrity/evidence-kit.js';
import { FAULT_KINDS, type FaultKind, Faults } from './faults.js';

// Every call that append, seal, checkpoint and scrub make is spoilt; then the work is begun again by a process without
// faults, and the whole is verified. A call that no run reaches ends the loop, so none is left out. Here each call is spoilt
// in one of the ways in turn; `npm run test:long` spoils each in every way.

const STRIDE = Number(process.env['FAULT_STRIDE'] ?? FAULT_KINDS.length);
/** Rounds know nothing of each other; together they share the waits for durable writes. */
const AT_ONCE = 3;
const HOUR_MS = 3_600_000;
const SEGMENT_RECORDS = 10;
/** Far more than any of them makes; a loop that comes here is broken. */
const MOST_CALLS = 60;

let server: TestServer;
let database: Database;
let nextTenant = 0;

beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('faults');
});

afterAll(() => server.stop());

interface Round {
  readonly tenant: string;
  readonly clock: ManualClock;
  /** The process that meets the fault. */
  readonly failing: Evidence;
  /** The one that comes after it. */
  readonly next: Evidence;
}

interface Spoilt {
  prepare(round: Round): Promise<void>;
  work(round: Round): Promise<unknown>;
  /** The same again, and what must then be so. */
  again(round: Round, outcome: 'done' | 'failed'): Promise<void>;
}

/** Spoils the n-th call of `work`; false when there is no n-th call. */
async function spoil(n: number, kind: FaultKind, { prepare, work, again }: Spoilt): Promise<boolean> {
  const clock = new ManualClock();
  const keys = new MemorySigningKeys();
  const faults = new Faults();
  const settings = { clock, keys, segmentRecords: SEGMENT_RECORDS };
  const failing = await openEvidence(database, { ...settings, faults });
  const next = await openEvidence(database, settings);
  const round = { tenant: `spoilt-${nextTenant++}`, clock, failing, next };
  try {
    await prepare(round);
    faults.arm(n, kind);
    const outcome = await work(round).then(
      () => 'done' as const,
      () => 'failed' as const,
    );
    const { struck } = faults;
    // Work in progress of a crashed process continues and fails.
    if (kind !== 'crash') faults.disarm();
    clock.advance(HOUR_MS);
    await again(round, outcome);
    const verdict = await next.verify(round.tenant);
    expect({ n, kind, breaks: verdict.breaks }).toEqual({ n, kind, breaks: [] });
    return struck;
  } finally {
    await failing.close();
    await next.close();
  }
}

/** @returns how many calls there were to spoil; with a stride, at most how many. */
async function spoilEach(kind: FaultKind, spoilt: Spoilt): Promise<number> {
  for (let n = 1 + (FAULT_KINDS.indexOf(kind) % STRIDE); n < MOST_CALLS; n += STRIDE * AT_ONCE) {
    const struck = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => spoil(n + i * STRIDE, kind, spoilt)));
    const beyond = struck.indexOf(false);
    if (beyond >= 0) return n + beyond * STRIDE - 1;
  }
  throw new Error('the work never ends without the fault');
}

const rowsOf = (tenant: string) => database.db.collection('ledger').countDocuments({ tenant_id: tenant });

describe.each(FAULT_KINDS)('an append during %s', (kind) => {
  it('loses no acknowledged event, repeats no retried one, and the ledger verifies', async () => {
    const calls = await spoilEach(kind, {
      prepare: async ({ failing, tenant }) => void (await failing.events(tenant, 2)),
      work: ({ failing, tenant }) => failing.events(tenant, 3, 'um-core', 2),
      again: async ({ next, tenant }, outcome) => {
        const receipts = await next.events(tenant, 3, 'um-core', 2);
        const statuses = [...receipts.values()].map(({ status }) => status);
        if (outcome === 'done') expect(statuses).toEqual(['DUPLICATE', 'DUPLICATE', 'DUPLICATE']);
        expect([...receipts.values()].map(({ sequence }) => sequence)).toEqual([3, 4, 5]);
        expect(await rowsOf(tenant)).toBe(5);
        await next.reconcile(tenant);
        expect(next.exceptions).toEqual([]);
      },
    });
    expect(calls).toBeGreaterThanOrEqual(3);
  });
});

describe.each(FAULT_KINDS)('sealing during %s', (kind) => {
  it('is completed by the next run: each segment has one entry and the same seal', async () => {
    const calls = await spoilEach(kind, {
      prepare: async ({ failing, tenant, clock }) => {
        for (let n = 0; n < 20; n += 4) await failing.events(tenant, 4, 'um-core', n);
        clock.advance(HOUR_MS);
      },
      work: ({ failing, tenant }) => failing.seal(tenant),
      again: async ({ next, tenant }) => {
        await next.seal(tenant);
        await next.reconcile(tenant);
        const entries = await database.db
          .collection('ledger')
          .countDocuments({ tenant_id: tenant, source_system: '_system' });
        expect(entries).toBe(2);
        expect(next.exceptions).toEqual([]);
      },
    });
    expect(calls).toBeGreaterThanOrEqual(10);
  });
});

describe.each(FAULT_KINDS)('a checkpoint during %s', (kind) => {
  it('leaves a tree that the next checkpoint extends, and no number twice', async () => {
    const calls = await spoilEach(kind, {
      prepare: async ({ failing, tenant }) => {
        await failing.events(tenant, 3);
        await failing.checkpoint(tenant);
        await failing.events(tenant, 3, 'um-core', 3);
      },
      work: ({ failing, tenant }) => failing.checkpoint(tenant),
      again: async ({ next, tenant }) => {
        await next.events(tenant, 2, 'um-core', 6);
        const latest = await next.checkpoint(tenant);
        expect(latest).toMatchObject({ tree_size: 8 });
        expect(next.exceptions).toEqual([]);
      },
    });
    expect(calls).toBeGreaterThanOrEqual(5);
  });
});

describe.each(FAULT_KINDS)('the scrub during %s', (kind) => {
  it('is repeated: the cycle ends, counts everything once and reports nothing wrong', async () => {
    const calls = await spoilEach(kind, {
      prepare: async ({ failing, tenant, clock }) => {
        for (let n = 0; n < 12; n += 4) await failing.events(tenant, 4, 'um-core', n);
        clock.advance(HOUR_MS);
        await failing.seal(tenant);
        await failing.checkpoint(tenant);
        clock.advance(HOUR_MS);
      },
      work: ({ failing, tenant }) => failing.scrub(tenant),
      again: async ({ failing, next, tenant }) => {
        await next.scrub(tenant);
        const row = await database.db.collection<{ _id: string }>('ledger_scrubs').findOne({ _id: tenant });
        // Twelve events, one sealing entry, one note.
        expect(row).toMatchObject({ cycle: 1, place: null, counts: { records: 14, damaged: 0, unexplained: 0 } });
        expect([...failing.exceptions, ...next.exceptions]).toEqual([]);
      },
    });
    expect(calls).toBeGreaterThanOrEqual(5);
  });
});
