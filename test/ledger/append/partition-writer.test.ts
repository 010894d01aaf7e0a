import { describe, expect, it } from '@jest/globals';
import type { WormAcknowledge } from '../../../shared/config/worm-acknowledge.js';
import { genesisHash } from '../../../shared/evidence/chain.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import { MemberTags } from '../../../shared/evidence/member-tag.js';
import { type Ids, idLike, ulidIds } from '../../../shared/ids/ids.js';
import type { WormRecord } from '../../../shared/worm/worm-store.js';
import { AppendBatch } from '../../../subgraphs/ledger/append/append-batch.js';
import { CopyLag } from '../../../subgraphs/ledger/append/copy-lag.js';
import { DuplicateKeys } from '../../../subgraphs/ledger/append/domain/duplicate-key.js';
import type { LedgerRow } from '../../../subgraphs/ledger/append/domain/ledger-row.js';
import { linkRows } from '../../../subgraphs/ledger/append/domain/link.js';
import { PartitionWriter } from '../../../subgraphs/ledger/append/partition-writer.js';
import type { AppendOutcome, TenantLedger } from '../../../subgraphs/ledger/append/ports/ledger-store.js';
import { eventPreparer, type PreparedEvent } from '../../../subgraphs/ledger/append/prepare-event.js';
import { RecentRows } from '../../../subgraphs/ledger/followers/recent-rows.js';
import { ChainVerifier } from '../../../subgraphs/ledger/integrity/domain/verify-chain.js';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { ManualClock, recordingLogger, seededRandomness } from '../../support/fakes.js';

const TENANT = 't-acme';
const SOURCE = 'um-core';
const GENESIS = genesisHash('eas.example/eas/log_1', SOURCE, TENANT);
const duplicateKeys = new DuplicateKeys(Buffer.alloc(32, 1));
const memberTags = new MemberTags(Buffer.alloc(32, 2));

/** What the next appends do instead of writing all: a fault of the server, in order. */
type Fault = (ledger: MemoryLedger, rows: readonly LedgerRow[]) => AppendOutcome;

/** A chain in memory that fails on request. */
class MemoryLedger {
  readonly stored: LedgerRow[] = [];
  readonly faults: (Fault | undefined)[] = [];
  readonly groups: number[] = [];

  append = async (rows: readonly LedgerRow[]): Promise<AppendOutcome> => {
    this.groups.push(rows.length);
    const fault = this.faults.shift();
    return fault ? fault(this, rows) : this.write(rows);
  };

  write(rows: readonly LedgerRow[]): AppendOutcome {
    for (const [i, row] of rows.entries()) {
      if (this.stored.some((kept) => kept._id.seq === row._id.seq)) return { written: i, conflict: 'SEQUENCE' };
      if (this.stored.some((kept) => kept.duplicate_key === row.duplicate_key))
        return { written: i, conflict: 'DUPLICATE' };
      this.stored.push(row);
    }
    return { written: rows.length, conflict: null };
  }

  tail = async () => {
    const row = this.stored.at(-1);
    return row ? { seq: row._id.seq, entryHash: row.entry_hash, recordedAtMs: row.recorded_at.getTime() } : null;
  };

  records = async (_: string, sequences: readonly number[]): Promise<WormRecord[]> =>
    this.stored
      .filter(({ _id }) => sequences.includes(_id.seq))
      .map(({ worm_sha256: sha256 = '', record: bytes = Buffer.alloc(0), seed }) => ({
        sha256,
        bytes,
        ...(seed && { seed }),
      }));

  copiedUpTo = async () => 0;

  entriesByFact = async (_: string, facts: readonly string[]) =>
    this.stored.filter((row) => facts.includes(row.fact_key ?? ''));
}

/** Copies in memory; fails on request. */
class MemoryWorm {
  failing = false;
  readonly #copies: Map<string, Copy>;

  constructor(copies: Map<string, Copy>) {
    this.#copies = copies;
  }

  putRecords = async (records: readonly WormRecord[]): Promise<void> => {
    if (this.failing) throw new Error('no write-once store');
    for (const record of records) keepFirst(this.#copies, record);
  };

  presentRecords = async (sha256s: readonly string[]): Promise<ReadonlySet<string>> =>
    new Set(sha256s.filter((sha256) => this.#copies.has(sha256)));
}

const writerOf = (clock: ManualClock, ledger: MemoryLedger, worm: MemoryWorm, lag?: CopyLag): PartitionWriter =>
  new PartitionWriter({
    clock,
    ...(lag && { lag }),
    ledger: ledger as unknown as TenantLedger,
    worm: worm as never,
    tenantId: TENANT,
    sourceSystem: SOURCE,
    genesis: GENESIS,
  });

async function appendTo(writer: PartitionWriter, events: readonly PreparedEvent[]) {
  const batch = new AppendBatch(events.length);
  writer.enqueue(
    batch,
    events.map((event, index) => ({ event, index })),
  );
  await batch.done;
  return events.map((_, index) => batch.receipts.get(index));
}

function setUp(acknowledge?: WormAcknowledge) {
  const clock = new ManualClock();
  const randomness = seededRandomness(3);
  const ids = ulidIds(() => clock.nowMs(), randomness);
  const ledger = new MemoryLedger();
  const copies = new Map<string, Copy>();
  const worm = new MemoryWorm(copies);
  const { logger, lines } = recordingLogger();
  const lag = acknowledge && new CopyLag({ clock, logger }, acknowledge);
  const writer = writerOf(clock, ledger, worm, lag);
  const preparer = eventPreparer({ ids, randomness }, TENANT, { duplicateKeys, memberTags });
  const prepare = (n: number | string, given?: Ids) =>
    preparer.prepare(envelope(n) as never, '2026-03-02T14:11:10.000Z', false, given);
  const append = (...names: (number | string)[]) =>
    appendTo(
      writer,
      names.map((name) => prepare(name)),
    );
  return { clock, ledger, worm, copies, append, writer, prepare, lag, lines };
}

type Copy = Pick<WormRecord, 'bytes' | 'seed'>;

/** A segment keeps the first record of a hash. */
function keepFirst(copies: Map<string, Copy>, { sha256, bytes, seed }: WormRecord): void {
  if (!copies.has(sha256)) copies.set(sha256, { bytes, ...(seed && { seed }) });
}

const copyOf = ({ worm_sha256, record, seed }: PreparedEvent): WormRecord => ({
  sha256: worm_sha256,
  bytes: record,
  seed,
});

/** Every kept row and its copy verify, in one chain without a gap. */
function expectWhole(ledger: MemoryLedger, copies: ReadonlyMap<string, Copy>, count: number): void {
  const context = { tenantId: TENANT, sourceSystem: SOURCE, expectedPrev: GENESIS, fromSequence: 1 };
  const verifier = new ChainVerifier({ ...context, committer: new Committer(), duplicateKeys, memberTags });
  for (const row of ledger.stored) {
    const copy = copies.get(row.worm_sha256 ?? '');
    verifier.check(row, copy && { bytes: Buffer.from(copy.bytes), ...(copy.seed && { seed: Buffer.from(copy.seed) }) });
  }
  expect(verifier.takeBreaks()).toEqual([]);
  expect(verifier.checked).toBe(count);
}

describe('recent rows', () => {
  const rowsOf = (from: number, count: number, bytes = 10): LedgerRow[] =>
    Array.from({ length: count }, (_, n) => {
      const _id = { tenant_id: TENANT, source_system: SOURCE, seq: from + n };
      return { _id, record: Buffer.alloc(bytes) } as unknown as LedgerRow;
    });
  const seqs = (rows: readonly LedgerRow[]) => rows.map(({ _id }) => _id.seq);

  it('are returned from any sequence on, never beyond a gap and never of another chain', () => {
    const recent = new RecentRows(new ManualClock());
    recent.add(TENANT, SOURCE, rowsOf(4, 2));
    recent.add(TENANT, SOURCE, rowsOf(6, 3));
    expect(seqs(recent.from(TENANT, SOURCE, 5, 3))).toEqual([5, 6, 7]);
    expect(seqs(recent.from(TENANT, SOURCE, 7, 9))).toEqual([7, 8]);
    expect(recent.from(TENANT, SOURCE, 3, 9)).toEqual([]);
    expect(recent.from(TENANT, SOURCE, 9, 9)).toEqual([]);
    expect(recent.from(TENANT, 'other', 4, 9)).toEqual([]);
    // Another process has appended the ninth.
    recent.add(TENANT, SOURCE, rowsOf(10, 1));
    expect(recent.from(TENANT, SOURCE, 5, 9)).toEqual([]);
    expect(seqs(recent.from(TENANT, SOURCE, 10, 9))).toEqual([10]);
  });

  it('are the newest up to a number of bytes, and at most ten seconds old', () => {
    const clock = new ManualClock();
    const recent = new RecentRows(clock, 50);
    for (let seq = 1; seq <= 8; seq++) recent.add(TENANT, SOURCE, rowsOf(seq, 1));
    expect(recent.from(TENANT, SOURCE, 3, 9)).toEqual([]);
    expect(seqs(recent.from(TENANT, SOURCE, 4, 9))).toEqual([4, 5, 6, 7, 8]);
    recent.add(TENANT, 'other', rowsOf(1, 1));
    recent.forget(TENANT, SOURCE);
    expect(recent.from(TENANT, SOURCE, 8, 9)).toEqual([]);
    expect(seqs(recent.from(TENANT, 'other', 1, 9))).toEqual([1]);
    clock.advance(10_001);
    expect(recent.from(TENANT, 'other', 1, 9)).toEqual([]);
  });
});

const refuse: Fault = () => {
  throw new Error('connection reset');
};

describe('group commit', () => {
  it('writes everything that waited for the previous write, at most 500 events, in order', async () => {
    const { ledger, copies, append } = setUp();
    const first = append('first');
    const others = Promise.all(Array.from({ length: 1_100 }, (_, n) => append(n)));
    await first;
    const receipts = (await others).flat();
    expect(ledger.groups).toEqual([1, 500, 500, 100]);
    expect(receipts.map((receipt) => receipt?.sequence)).toEqual(receipts.map((_, n) => n + 2));
    expectWhole(ledger, copies, 1_101);
  });
});

describe('answers that wait for the database alone', () => {
  const ACKNOWLEDGE = { by: 'database', maxLagMs: 5_000 } as const;

  it('come while the write-once store fails, until the lag exceeds its bound; copies are made of the rows later', async () => {
    const { clock, ledger, copies, worm, append, lag, lines } = setUp(ACKNOWLEDGE);
    await append('a');
    worm.failing = true;
    expect((await append('b'))[0]).toMatchObject({ status: 'ACCEPTED', sequence: 2 });
    clock.advance(4_000);
    expect((await append('c', 'd')).map((receipt) => receipt?.status)).toEqual(['ACCEPTED', 'ACCEPTED']);
    expect((await append('b'))[0]).toMatchObject({ status: 'DUPLICATE', sequence: 2 });
    expect(lag?.lagMs).toBe(4_000);
    clock.advance(2_000);
    await expect(append('e')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(ledger.stored).toHaveLength(4);
    expect(lines.join('')).toContain('exceed their lag');

    worm.failing = false;
    expect(
      await eventually(
        async () => lag?.lagMs,
        (ms) => ms === 0,
      ),
    ).toBe(0);
    expect((await append('e'))[0]).toMatchObject({ status: 'ACCEPTED', sequence: 5 });
    await eventually(
      async () => copies.size,
      (size) => size === 5,
    );
    expectWhole(ledger, copies, 5);
    expect(lines.join('')).toContain('within their lag again');
  });
});

describe('a failed write', () => {
  it('advances nothing: it answers UNAVAILABLE, and the next event takes the place', async () => {
    const { ledger, copies, append } = setUp();
    await append('a');
    ledger.faults.push(refuse);
    await expect(append('b')).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { retryAfterSeconds: 1 } });
    expect((await append('c'))[0]).toMatchObject({ status: 'ACCEPTED', sequence: 2 });
    expect((await append('b'))[0]).toMatchObject({ status: 'ACCEPTED', sequence: 3 });
    expectWhole(ledger, copies, 3);
  });

  it('that the server performed is found when the event is sent again', async () => {
    const { ledger, copies, append } = setUp();
    ledger.faults.push((kept, rows) => {
      kept.write(rows);
      throw new Error('the answer was lost');
    });
    await expect(append('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect((await append('a'))[0]).toMatchObject({ status: 'DUPLICATE', sequence: 1 });
    expect((await append('b'))[0]).toMatchObject({ status: 'ACCEPTED', sequence: 2 });
    expectWhole(ledger, copies, 2);
  });
});

describe('a row without its write-once copy', () => {
  it('is not acknowledged, and a repeated event waits for the copy', async () => {
    const { ledger, worm, copies, append } = setUp();
    worm.failing = true;
    await expect(append('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(append('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    worm.failing = false;
    expect((await append('a'))[0]).toMatchObject({ status: 'DUPLICATE', sequence: 1 });
    expectWhole(ledger, copies, 1);
  });

  it('is copied before the next event of its chain is stored', async () => {
    const { ledger, worm, copies, append } = setUp();
    worm.failing = true;
    await expect(append('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(append('b')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(ledger.stored).toHaveLength(1);
    worm.failing = false;
    expect((await append('b'))[0]).toMatchObject({ status: 'ACCEPTED', sequence: 2 });
    expectWhole(ledger, copies, 2);
  });

  it('is copied by the process that gets the event again', async () => {
    const { clock, ledger, copies, append, prepare } = setUp();
    const stopped = new MemoryWorm(copies);
    stopped.failing = true;
    const other = writerOf(clock, ledger, stopped);
    await expect(appendTo(other, [prepare('a')])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect((await append('a'))[0]).toMatchObject({ status: 'DUPLICATE', sequence: 1 });
    expectWhole(ledger, copies, 1);
  });

  it('fails the repeated events that waited for it', async () => {
    const { ledger, worm, copies, append } = setUp();
    worm.failing = true;
    const attempts = await Promise.allSettled([append('a'), append('a', 'b'), append('a')]);
    expect(attempts.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    worm.failing = false;
    expect((await append('a', 'b')).map((receipt) => receipt?.sequence)).toEqual([1, 2]);
    expectWhole(ledger, copies, 2);
  });
});

describe('a place that another appender took', () => {
  it('is abandoned: the rest is linked after the winner, in order', async () => {
    const { ledger, copies, append, clock } = setUp();
    const other = writerOf(clock, ledger, new MemoryWorm(copies));
    await append('a');
    const { prepare } = setUp();
    await appendTo(other, [prepare('winner')]);
    const receipts = await append('b', 'c');
    expect(receipts.map((receipt) => receipt?.sequence)).toEqual([3, 4]);
    expectWhole(ledger, copies, 4);
  });

  it('in the middle of a group keeps the written events and links the rest again', async () => {
    const { ledger, copies, append } = setUp();
    const { prepare } = setUp();
    ledger.faults.push((kept, rows) => {
      const written = kept.write(rows.slice(0, 2)).written;
      const tail = kept.stored.at(-1);
      const intruder = prepare('intruder');
      keepFirst(copies, copyOf(intruder));
      const head = { seq: tail?._id.seq ?? 0, entryHash: tail?.entry_hash ?? GENESIS, recordedAtMs: 0 };
      kept.stored.push(...linkRows(TENANT, SOURCE, head, tail?.recorded_at.getTime() ?? 0, [intruder]));
      return { written, conflict: 'SEQUENCE' };
    });
    const receipts = await append('a', 'b', 'c', 'd');
    expect(receipts.map((receipt) => receipt?.sequence)).toEqual([1, 2, 4, 5]);
    expectWhole(ledger, copies, 5);
  });

  it('by the same envelope returns the first event, and the other events of the group continue', async () => {
    const { ledger, copies, append } = setUp();
    const { prepare } = setUp();
    ledger.faults.push((kept, rows) => {
      const same = prepare('b');
      keepFirst(copies, copyOf(same));
      const head = { seq: 0, entryHash: GENESIS, recordedAtMs: 0 };
      kept.stored.push(...linkRows(TENANT, SOURCE, head, 0, [same]));
      return kept.write(rows);
    });
    const receipts = await append('a', 'b', 'c');
    expect(receipts.map((receipt) => [receipt?.status, receipt?.sequence])).toEqual([
      ['ACCEPTED', 2],
      ['DUPLICATE', 1],
      ['ACCEPTED', 3],
    ]);
    expectWhole(ledger, copies, 3);
  });

  it('by a whole batch of the same envelopes returns the first event of each', async () => {
    const { ledger, copies, append } = setUp();
    const { prepare } = setUp();
    const names = Array.from({ length: 300 }, (_, n) => n);
    ledger.faults.push((kept, rows) => {
      const same = names.toReversed().map((name) => prepare(name));
      for (const event of same) keepFirst(copies, copyOf(event));
      kept.stored.push(...linkRows(TENANT, SOURCE, { seq: 0, entryHash: GENESIS, recordedAtMs: 0 }, 0, same));
      return kept.write(rows);
    });
    const receipts = await append(...names);
    expect(receipts.map((receipt) => [receipt?.status, receipt?.sequence])).toEqual(
      names.map((name) => ['DUPLICATE', 300 - name]),
    );
    expectWhole(ledger, copies, 300);
  });

  it('by another attempt of the same work leaves the write-once copy to the row that is stored', async () => {
    const { ledger, copies, writer, prepare } = setUp();
    const given: Ids = { next: (kind) => idLike(kind, 'evt_01JQ0000000000000000000001') };
    const [mine, other] = [prepare('a', given), prepare('a', given)];
    expect([other.worm_sha256, other.seed.equals(mine.seed)]).toEqual([mine.worm_sha256, false]);
    ledger.faults.push((kept, rows) => {
      kept.stored.push(...linkRows(TENANT, SOURCE, { seq: 0, entryHash: GENESIS, recordedAtMs: 0 }, 0, [other]));
      return kept.write(rows);
    });
    expect(await appendTo(writer, [mine])).toMatchObject([{ status: 'ACCEPTED', sequence: 1 }]);
    keepFirst(copies, copyOf(other));
    expectWhole(ledger, copies, 1);
  });

  it('repeatedly ends in UNAVAILABLE instead of waiting forever', async () => {
    const { ledger, append } = setUp();
    ledger.faults.push(...Array.from({ length: 300 }, (): Fault => () => ({ written: 0, conflict: 'SEQUENCE' })));
    await expect(append('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(ledger.stored).toHaveLength(0);
  });
});
