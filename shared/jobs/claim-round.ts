import type { GroupTurns } from './group-turns.js';
import type { HeldRow } from './held-rows.js';
import type { RowStore } from './row-store.js';
import type { RunnerDeps } from './runner-deps.js';
import type { GroupLimits, QueueSpec, WorkRow } from './work-queue.js';

/** Groups that have a turn in one round. */
const GROUPS_A_ROUND = 16;
/** A group that other processes fill is looked at again after this. */
const FULL_ELSEWHERE_MS = 250;
/** A group of which no other process held a row is taken to be ours alone for so long: the look after the claim tells. */
const ALONE_MS = 5_000;
const MOST_REMEMBERED = 10_000;
/** After a failure. */
const AGAIN_MS = 1_000;

/** Claims rows for the groups that have their turn. */
export class ClaimRounds<Row extends WorkRow> {
  readonly #spec: QueueSpec<Row>;
  readonly #deps: RunnerDeps;
  readonly #store: RowStore<Row>;
  readonly #turns: GroupTurns;
  readonly #leaseMs: number;
  /** Groups that no other process held a row of, and until when that is believed. */
  readonly #aloneUntilMs = new Map<string, number>();
  #claims = 0;

  constructor(spec: QueueSpec<Row>, deps: RunnerDeps, store: RowStore<Row>, turns: GroupTurns, leaseMs: number) {
    this.#spec = spec;
    this.#deps = deps;
    this.#store = store;
    this.#turns = turns;
    this.#leaseMs = leaseMs;
  }

  /** One turn for each of some groups. @param room how many rows this process may take on; asked late, so that it is fresh. */
  async next(room: () => number): Promise<readonly HeldRow<Row>[]> {
    const groups = this.#turns.take(GROUPS_A_ROUND);
    try {
      await this.#askLimits(groups);
      const others = await this.#heldByOthers(groups.filter((group) => !this.#isAlone(group)));
      const nowMs = this.#deps.clock.nowMs();
      const share = Math.max(1, Math.ceil(room() / groups.length));
      const found = await Promise.all(
        groups.map((group) =>
          this.#dueOf(group, Math.min(share, this.#turns.roomOf(group, others.get(group) ?? 0, nowMs)), nowMs),
        ),
      );
      return await this.#claim(new Map(found.flat()), nowMs);
    } catch (error) {
      for (const group of groups) this.#turns.wakeAt(group, this.#deps.clock.nowMs() + AGAIN_MS);
      throw error;
    }
  }

  /** Rows of the group that are to be claimed; the row behind them tells when the group's next turn is. */
  async #dueOf(group: string, room: number, nowMs: number): Promise<readonly (readonly [string, string])[]> {
    if (room === 0) {
      this.#turns.stepOut(group, nowMs, FULL_ELSEWHERE_MS);
      return [];
    }
    const rows = await this.#store.waiting(group, room + 1);
    const due = rows.slice(0, room).filter(({ dueMs }) => dueMs <= nowMs);
    const behind = rows[due.length];
    if (behind) this.#turns.wakeAt(group, behind.dueMs);
    return due.map(({ id }) => [id, group] as const);
  }

  /** Each claim has its own token: a holder that lost a row and claims it again does not pass its old fence. */
  async #claim(wanted: ReadonlyMap<string, string>, nowMs: number): Promise<readonly HeldRow<Row>[]> {
    if (wanted.size === 0) return [];
    this.#claims += 1;
    const token = `${this.#deps.owner}.${this.#claims}`;
    const untilMs = nowMs + this.#leaseMs;
    const rows = await this.#store.claim([...wanted.keys()], token, nowMs, untilMs);
    // Where another process was faster, the group may have other rows.
    if (rows.length < wanted.size) for (const group of new Set(wanted.values())) this.#turns.wake(group);
    const held = rows.map((row): HeldRow<Row> => {
      const group = String(row[this.#spec.groupField]);
      this.#turns.claimed(group, 1, nowMs);
      return { row, group, token, untilMs, abort: new AbortController(), stage: 'ready' };
    });
    const surplus = await this.#surplusOf(held);
    if (surplus.size > 0) await this.#handBack(surplus, nowMs);
    const kept = held.filter((each) => !surplus.has(each));
    this.#deps.counts.add('claimed', kept.length);
    return kept;
  }

  /**
   * Two processes may have claimed for one group in the same instant. Each looks again after its own claim, so that at least
   * one of them sees the other, and hands back the surplus before it has begun.
   */
  async #surplusOf(claimed: readonly HeldRow<Row>[]): Promise<ReadonlySet<HeldRow<Row>>> {
    const others = await this.#heldByOthers([...new Set(claimed.map(({ group }) => group))]);
    const surplus = new Set<HeldRow<Row>>();
    for (const [group, count] of others) {
      const mine = claimed.filter((each) => each.group === group);
      const tooMuch = Math.min(this.#turns.surplusOf(group, count), mine.length);
      for (const each of mine.slice(mine.length - tooMuch)) surplus.add(each);
    }
    return surplus;
  }

  async #heldByOthers(groups: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (groups.length === 0) return new Map();
    const others = await this.#store.heldByOthers(groups);
    const untilMs = this.#deps.clock.nowMs() + ALONE_MS;
    if (this.#aloneUntilMs.size >= MOST_REMEMBERED) this.#aloneUntilMs.clear();
    for (const group of groups) {
      if ((others.get(group) ?? 0) === 0) this.#aloneUntilMs.set(group, untilMs);
      else this.#aloneUntilMs.delete(group);
    }
    return others;
  }

  #isAlone(group: string): boolean {
    const leftMs = (this.#aloneUntilMs.get(group) ?? 0) - this.#deps.clock.nowMs();
    return leftMs > 0 && leftMs <= ALONE_MS;
  }

  async #handBack(rows: ReadonlySet<HeldRow<Row>>, nowMs: number): Promise<void> {
    const all = [...rows];
    const tokens = all.map(({ token }) => token);
    await this.#store.release(
      all.map(({ row }) => row._id),
      tokens.slice(0, 1),
      nowMs,
    );
    for (const { group } of all) this.#turns.settled(group);
    for (const group of new Set(all.map((each) => each.group))) this.#turns.stepOut(group, nowMs, FULL_ELSEWHERE_MS);
  }

  async #askLimits(groups: readonly string[]): Promise<void> {
    const { limits } = this.#spec;
    const nowMs = this.#deps.clock.nowMs();
    await Promise.all(
      this.#turns.stale(groups, nowMs).map(async (group) => {
        const given: GroupLimits = typeof limits === 'function' ? await limits(group) : limits;
        this.#turns.setLimits(group, given, nowMs);
      }),
    );
  }
}
