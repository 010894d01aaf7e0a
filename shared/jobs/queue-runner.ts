import { type Repeating, repeat, within } from '../clock/timers.js';
import { describeUnexpected } from '../telemetry/describe-error.js';
import { ClaimRounds } from './claim-round.js';
import { GroupTurns, SHARES_AHEAD } from './group-turns.js';
import { RowHandler } from './handle-row.js';
import { type HeldRow, HeldRows } from './held-rows.js';
import { OutcomeWriter } from './outcome-writer.js';
import { leaseKey, type RowStore } from './row-store.js';
import type { RunnerDeps } from './runner-deps.js';
import type { QueueSpec, WorkRow } from './work-queue.js';

/** Finds what wake-ups miss: dead leases, rows with a lost wake-up, rows that became due. */
const POLL_MS = 1_000;
const DEFAULT_LEASE_MS = 30_000;
/** Looks over the heads in one poll; each shows up to 64 groups. */
const LOOKS_A_POLL = 16;
/** Time that a stop waits for handlers, and again for the handlers that it aborted. */
const DRAIN_MS = 12_000;
const HEARD_MS = 1_000;

/** One queue at work in this process. */
export class QueueRunner<Row extends WorkRow> {
  readonly #spec: QueueSpec<Row>;
  readonly #deps: RunnerDeps;
  readonly #store: RowStore<Row>;
  readonly #turns = new GroupTurns();
  readonly #held = new HeldRows<Row>();
  readonly #rounds: ClaimRounds<Row>;
  readonly #handler: RowHandler<Row>;
  readonly #outcomes: OutcomeWriter;
  readonly #leaseMs: number;
  #running = 0;
  #round: Promise<void> | undefined;
  #roundFailure: unknown;
  #scannedTo: string | null = null;
  #alarm: NodeJS.Timeout | undefined;
  #works: readonly Repeating[] | undefined;
  #stopping = false;
  #stopByMs = Number.POSITIVE_INFINITY;
  #waiters: (() => void)[] = [];

  constructor(spec: QueueSpec<Row>, deps: RunnerDeps, store: RowStore<Row>) {
    this.#spec = spec;
    this.#deps = deps;
    this.#store = store;
    this.#leaseMs = spec.leaseMs ?? DEFAULT_LEASE_MS;
    this.#rounds = new ClaimRounds(spec, deps, store, this.#turns, this.#leaseMs);
    this.#handler = new RowHandler(spec, deps, store);
    const onLost = (count: number): void => deps.counts.add('lost', count);
    this.#outcomes = new OutcomeWriter({ ...deps, settle: (rows) => store.settle(rows), onLost });
  }

  /** Rows claimed, and those of them that are with the handler. */
  get depth(): { readonly held: number; readonly running: number } {
    return { held: this.#held.size, running: this.#running };
  }

  start(): void {
    const report = (error: unknown): void =>
      this.#deps.logger.error({ ...describeUnexpected(error), queue: this.#spec.name }, 'a queue could not look');
    this.#works = [repeat(POLL_MS, () => this.#poll(), report), repeat(this.#leaseMs / 3, () => this.#renew(), report)];
    void this.#look().then(() => this.#pump(), report);
  }

  /** @param groups null: any may have work. @returns whether this process works on the queue, and has room. */
  hear(groups: Iterable<string> | null): boolean {
    if (!this.#works || this.#stopping) return false;
    if (groups === null) this.#scannedTo = null;
    else for (const group of groups) this.#turns.wake(group);
    const hasRoom = this.#room() > 0;
    this.#pump();
    return hasRoom;
  }

  /** Everything that is due, in this call; nothing is left to timers. */
  async runDue(): Promise<number> {
    if (this.#works) throw new Error(`the queue ${this.#spec.name} is started`);
    const before = this.#deps.counts.handlings;
    for (;;) {
      await this.#sweep();
      for (let more = true; more; ) more = await this.#look();
      this.#turns.advance(this.#deps.clock.nowMs());
      if (!this.#turns.anyDue) return this.#deps.counts.handlings - before;
      this.#pump();
      await this.#settled();
      if (this.#roundFailure !== undefined) throw this.#roundFailure;
    }
  }

  /**
   * Claims nothing more, hands back what has not begun, lets handlers end, tells those that take too long, and hands back
   * what then is left: its holder is fenced out, another process takes it up.
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stopByMs = this.#deps.clock.nowMs() + DRAIN_MS + HEARD_MS;
    clearTimeout(this.#alarm);
    const [polling, renewing] = this.#works ?? [];
    await polling?.stop();
    await this.#round;
    await this.#handBack(this.#held.takeReady());
    const settled = this.#settled().then(() => true);
    if (!(await within(DRAIN_MS, settled))) {
      for (const held of this.#held.all()) held.abort.abort();
      await within(HEARD_MS, settled);
    }
    await renewing?.stop();
    const left = this.#held.all();
    for (const held of left) this.#held.remove(held);
    await this.#handBack(left);
    if (left.length > 0) this.#deps.logger.warn({ queue: this.#spec.name, rows: left.length }, 'rows are handed back');
  }

  async #poll(): Promise<void> {
    await this.#sweep();
    for (let looks = 0; looks < LOOKS_A_POLL; looks++) if (!(await this.#look())) break;
    this.#turns.tidy(this.#deps.clock.nowMs());
    this.#pump();
  }

  async #sweep(): Promise<void> {
    const { died, groups } = await this.#store.sweep(this.#deps.clock.nowMs());
    if (died === 0) return;
    this.#deps.counts.add('died', died);
    this.#deps.logger.warn({ queue: this.#spec.name, rows: died }, 'leases of rows were over; they are due again');
    for (const group of groups) this.#turns.wake(group);
  }

  /** Looks at the heads of some groups, on from where the last look ended. @returns whether there may be more. */
  async #look(): Promise<boolean> {
    const heads = await this.#store.heads(this.#scannedTo);
    for (const { group, dueMs } of heads) this.#turns.wakeAt(group, dueMs);
    this.#scannedTo = heads.at(-1)?.group ?? null;
    return heads.length > 0;
  }

  /** Begins ready rows and claims more, one round at a time. */
  #pump(): void {
    this.#beginReady();
    if (this.#round) return;
    if (!this.#stopping) {
      const nextMs = this.#turns.advance(this.#deps.clock.nowMs());
      if (this.#turns.anyDue && this.#room() > 0) {
        this.#round = this.#claimRound();
        return;
      }
      this.#setAlarm(nextMs);
    }
    if (this.#held.size === 0) for (const resolve of this.#waiters.splice(0)) resolve();
  }

  async #claimRound(): Promise<void> {
    try {
      const claimed = await this.#rounds.next(() => this.#room());
      for (const held of claimed) this.#held.add(held);
      this.#spec.foresee?.(claimed.map(({ row }) => row));
      this.#roundFailure = undefined;
    } catch (error) {
      this.#roundFailure = error;
      this.#deps.logger.error({ ...describeUnexpected(error), queue: this.#spec.name }, 'rows could not be claimed');
    }
    this.#round = undefined;
    this.#pump();
  }

  /** For rows that become due between two polls. */
  #setAlarm(nextMs: number): void {
    clearTimeout(this.#alarm);
    const waitMs = nextMs - this.#deps.clock.nowMs();
    if (!this.#works || waitMs > POLL_MS) return;
    this.#alarm = setTimeout(() => this.#pump(), Math.max(1, waitMs));
    this.#alarm.unref();
  }

  /** In the measure in which a group claims ahead: silent groups take the others' room no sooner than their places. */
  #room(): number {
    return (1 + SHARES_AHEAD) * this.#spec.concurrency - this.#held.size;
  }

  #beginReady(): void {
    while (!this.#stopping && this.#running < this.#spec.concurrency) {
      const held = this.#held.nextReady((group) => this.#turns.mayBegin(group));
      if (!held) return;
      this.#running += 1;
      this.#turns.began(held.group);
      held.stage = 'running';
      void this.#work(held);
    }
  }

  /** From the beginning of a handling to the end of its row's lease. Its place is free before its outcome is on disk. */
  async #work(held: HeldRow<Row>): Promise<void> {
    const { clock, counts } = this.#deps;
    const beganMs = clock.monotonicMs();
    const settlement = await this.#handler.handle(held);
    counts.took(clock.monotonicMs() - beganMs);
    held.stage = 'settling';
    this.#running -= 1;
    this.#turns.ended(held.group);
    this.#beginReady();
    if (settlement && this.#held.has(held)) {
      await this.#outcomes.write(settlement, () => Math.min(held.untilMs, this.#stopByMs));
    }
    this.#held.remove(held);
    this.#turns.settled(held.group);
    if (settlement && settlement.nextMs !== null) this.#turns.wakeAt(held.group, settlement.nextMs);
    this.#pump();
  }

  /** A lease that could not be renewed in time counts as lost to another holder. */
  async #renew(): Promise<void> {
    const held = this.#held.all();
    if (held.length === 0) return;
    const untilMs = this.#deps.clock.nowMs() + this.#leaseMs;
    const ids = held.map(({ row }) => row._id);
    const tokens = [...new Set(held.map(({ token }) => token))];
    try {
      const standing = await this.#store.renew(ids, tokens, untilMs);
      for (const each of held) {
        if (standing === undefined || standing.has(leaseKey(each.row._id, each.token))) each.untilMs = untilMs;
        else this.#lose(each);
      }
    } finally {
      const nowMs = this.#deps.clock.nowMs();
      for (const each of held) if (each.untilMs < nowMs) this.#lose(each);
    }
  }

  /** A row that is being settled, or was meanwhile, is no loss: its fence decides. */
  #lose(held: HeldRow<Row>): void {
    if (held.stage === 'settling' || !this.#held.has(held) || held.abort.signal.aborted) return;
    this.#deps.counts.add('lost', 1);
    held.abort.abort();
  }

  async #handBack(rows: readonly HeldRow<Row>[]): Promise<void> {
    if (rows.length === 0) return;
    this.#deps.counts.add('released', rows.length);
    const tokens = [...new Set(rows.map(({ token }) => token))];
    await this.#store.release(
      rows.map(({ row }) => row._id),
      tokens,
      this.#deps.clock.nowMs(),
    );
    this.#deps.wakeOthers(new Set(rows.map(({ group }) => group)));
  }

  #settled(): Promise<void> {
    if (this.#held.size === 0 && !this.#round) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }
}
