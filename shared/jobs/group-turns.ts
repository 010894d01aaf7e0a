import type { GroupLimits } from './work-queue.js';

/** State of a group that has, or may have, work. */
interface GroupState {
  /** Claimed and not yet settled. */
  held: number;
  /** Of these, begun and not yet ended. */
  running: number;
  limits: GroupLimits | undefined;
  limitsAtMs: number;
  /** When a row may begin at the earliest, by the group's pace; in the past where it has been idle. */
  paceMs: number;
}

/** Between two rows, and how far ahead of that a group may get. */
function paceOf(perSecond: number): { readonly gapMs: number; readonly slackMs: number } {
  const gapMs = MS_PER_SECOND / perSecond;
  return { gapMs, slackMs: Math.max(PACE_SLACK_MS, gapMs) };
}

const LIMITS_FRESH_MS = 5_000;
/**
 * A group that is alone with its work has this many times its places claimed beyond those that run: one share waits to begin,
 * the others are being claimed and settled meanwhile, which takes as long as a fast handler takes for them.
 */
export const SHARES_AHEAD = 3;
/** A group with a pace may begin what half a second would have let it begin, at once. */
const PACE_SLACK_MS = 500;
const MS_PER_SECOND = 1_000;

/**
 * Decides which group is next. Groups with due rows form one circle; a group moves to its end after a turn. A group at
 * its limit leaves the circle until one of its rows has ended. Only groups with work use memory.
 */
export class GroupTurns {
  readonly #groups = new Map<string, GroupState>();
  /** In the order of their turns. */
  readonly #due = new Set<string>();
  readonly #later = new Map<string, number>();
  /** With work that is due, and at their limit: until a row of theirs has ended, or until a time. */
  readonly #full = new Set<string>();
  readonly #out = new Map<string, number>();

  /** There may be rows that are due. */
  wake(group: string): void {
    this.#later.delete(group);
    if (!this.#full.has(group) && !this.#out.has(group)) this.#due.add(group);
  }

  /** Marks the group's next row as due at that time; an earlier due time stays. */
  wakeAt(group: string, atMs: number): void {
    if (this.#due.has(group) || this.#full.has(group) || this.#out.has(group)) return;
    const known = this.#later.get(group);
    if (known === undefined || atMs < known) this.#later.set(group, atMs);
  }

  /** Moves groups that are due into the circle. @returns when the next one comes; Infinity for none. */
  advance(nowMs: number): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [group, atMs] of this.#later) {
      if (atMs <= nowMs) this.wake(group);
      else nextMs = Math.min(nextMs, atMs);
    }
    for (const [group, atMs] of this.#out) {
      if (atMs > nowMs) nextMs = Math.min(nextMs, atMs);
      else if (this.#out.delete(group)) this.#due.add(group);
    }
    return nextMs;
  }

  get anyDue(): boolean {
    return this.#due.size > 0;
  }

  /** Takes the next groups out of the circle; a group with more rows is woken again. */
  take(most: number): readonly string[] {
    const taken: string[] = [];
    for (const group of this.#due) {
      if (taken.length >= most) break;
      this.#due.delete(group);
      taken.push(group);
    }
    return taken;
  }

  /** Groups of these with limits that must be queried again. */
  stale(groups: readonly string[], nowMs: number): readonly string[] {
    return groups.filter((group) => {
      const state = this.#groups.get(group);
      return state?.limits === undefined || Math.abs(nowMs - state.limitsAtMs) >= LIMITS_FRESH_MS;
    });
  }

  setLimits(group: string, limits: GroupLimits, nowMs: number): void {
    const state = this.#stateOf(group);
    state.limits = limits;
    state.limitsAtMs = nowMs;
  }

  /**
   * Returns the number of rows that the group may claim. Without another process it claims ahead, in shares, so that no
   * place is empty during the next claim and each claim takes many rows. With another process, or with a pace, it claims
   * only rows that may begin.
   */
  roomOf(group: string, heldByOthers: number, nowMs: number): number {
    const { limits, held, paceMs } = this.#stateOf(group);
    const { maxInFlight, perSecond } = limits ?? { maxInFlight: 1 };
    if (heldByOthers === 0 && perSecond === undefined) {
      const ahead = (1 + SHARES_AHEAD) * maxInFlight - held;
      return ahead >= maxInFlight ? ahead : 0;
    }
    const places = maxInFlight - held - heldByOthers;
    if (perSecond === undefined) return Math.max(0, places);
    const { gapMs, slackMs } = paceOf(perSecond);
    const paced = Math.floor((nowMs + slackMs - Math.max(paceMs, nowMs)) / gapMs);
    return Math.max(0, Math.min(places, paced));
  }

  /** Returns the number of rows held beyond the group's limit, given the number that other processes hold. */
  surplusOf(group: string, heldByOthers: number): number {
    const { limits, held } = this.#stateOf(group);
    return heldByOthers === 0 ? 0 : Math.max(0, held + heldByOthers - (limits?.maxInFlight ?? 1));
  }

  /** It has work and no room: back when a row of it ends, when its pace lets it, or (full elsewhere) soon. */
  stepOut(group: string, nowMs: number, soonMs: number): void {
    const { limits, held, paceMs } = this.#stateOf(group);
    const { maxInFlight, perSecond } = limits ?? { maxInFlight: 1 };
    const pace = perSecond === undefined ? undefined : paceOf(perSecond);
    const pacedAtMs = pace ? paceMs - pace.slackMs + pace.gapMs : 0;
    this.#later.delete(group);
    this.#due.delete(group);
    if (pacedAtMs > nowMs) this.#out.set(group, pacedAtMs);
    else if (held >= maxInFlight) this.#full.add(group);
    else this.#out.set(group, nowMs + soonMs);
  }

  claimed(group: string, rows: number, nowMs: number): void {
    const state = this.#stateOf(group);
    state.held += rows;
    const { perSecond } = state.limits ?? {};
    if (perSecond !== undefined) state.paceMs = Math.max(state.paceMs, nowMs) + (rows * MS_PER_SECOND) / perSecond;
  }

  /** Whether a claimed row of the group may begin now. */
  mayBegin(group: string): boolean {
    const { limits, running } = this.#stateOf(group);
    return running < (limits?.maxInFlight ?? 1);
  }

  began(group: string): void {
    this.#stateOf(group).running += 1;
  }

  ended(group: string): void {
    this.#stateOf(group).running -= 1;
  }

  /** A claimed row is no longer ours. */
  settled(group: string): void {
    const state = this.#stateOf(group);
    state.held -= 1;
    const { maxInFlight, perSecond } = state.limits ?? { maxInFlight: 1 };
    const enough = perSecond === undefined ? SHARES_AHEAD * maxInFlight : Number.POSITIVE_INFINITY;
    if (state.held <= enough && this.#full.delete(group)) this.#due.add(group);
  }

  /** Forgets what need not be known; called now and then. */
  tidy(nowMs: number): void {
    for (const [group, { held, paceMs }] of this.#groups) {
      const known = this.#due.has(group) || this.#later.has(group) || this.#out.has(group);
      if (held === 0 && paceMs <= nowMs && !known) this.#groups.delete(group);
    }
  }

  #stateOf(group: string): GroupState {
    const known = this.#groups.get(group);
    if (known) return known;
    const state: GroupState = { held: 0, running: 0, limits: undefined, limitsAtMs: 0, paceMs: 0 };
    this.#groups.set(group, state);
    return state;
  }
}
