import { describe, expect, it } from '@jest/globals';
import type { HoldSubject } from '../../../shared/contracts/holds.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { HoldStore, StoredHold } from '../../../subgraphs/vault/holds/ports.js';
import { DeletionGate } from '../../../subgraphs/vault/retention/deletion-gate.js';
import type { GateStore } from '../../../subgraphs/vault/retention/ports.js';
import { ManualClock } from '../../support/fakes.js';
import { seeded } from '../../support/random.js';

// The gate over stores in memory, one step of one process at a time, in orders drawn from a seed; processes die between
// any two steps. What the answers promise is the oracle.

const ORDERS = Number(process.env['VAULT_GATE_ORDERS'] ?? 500);
const SEED = Number(process.env['VAULT_SEED'] ?? 20260302);
const TENANT = 'acme' as TenantId;
const THINGS = ['e1', 'e2', 'e3'] as const;

/** Lets one waiting process take its next step at a time; a dead one never takes another. */
class Scheduler {
  readonly #random: () => number;
  #waiting: { readonly name: number; readonly go: () => void }[] = [];
  readonly #dead = new Set<number>();

  constructor(random: () => number) {
    this.#random = random;
  }

  step(name: number): Promise<void> {
    return new Promise((go) => {
      if (!this.#dead.has(name)) this.#waiting.push({ name, go });
    });
  }

  kill(name: number): void {
    this.#dead.add(name);
    this.#waiting = this.#waiting.filter((one) => one.name !== name);
  }

  async run(deaths: number, names: readonly number[]): Promise<void> {
    let left = deaths;
    for (;;) {
      // Everybody who was let go comes to the next step, or to an end, before the next one is drawn.
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      if (left > 0 && this.#random() < 0.05) {
        left--;
        this.kill(names[Math.floor(this.#random() * names.length)] ?? 0);
      }
      const [next] = this.#waiting.splice(Math.floor(this.#random() * this.#waiting.length), 1);
      if (!next) return;
      next.go();
    }
  }
}

interface State {
  epoch: number;
  passes: number;
  permits: string[];
  /** Holds, and open requests that keep their records. */
  readonly holds: {
    readonly id: string;
    readonly kind: 'HOLD' | 'REQUEST';
    readonly over: string;
    active: boolean;
    settled: boolean;
  }[];
  readonly prepared: Map<string, readonly string[]>;
  readonly gone: Set<string>;
  /** Things that deletions name which were let through. */
  readonly certified: string[];
  /** Permits are given whatever the epoch, or the count of passes, is: what the search must find out. */
  readonly blindTo: 'epoch' | 'passes' | null;
}

/** One process's view: each call of a store is one step. */
function processOver(state: State, scheduler: Scheduler, name: number) {
  const stepped = async <T>(act: () => T): Promise<T> => {
    await scheduler.step(name);
    return act();
  };
  const gates: GateStore = {
    state: () => stepped(() => ({ epoch: state.epoch, passes: state.passes, permits: state.permits })),
    permit: (_, { epoch, passes }, id) =>
      stepped(() => {
        if (epoch !== state.epoch && state.blindTo !== 'epoch') return false;
        if (passes !== state.passes && state.blindTo !== 'passes') return false;
        state.passes++;
        state.certified.push(...(state.prepared.get(id) ?? []));
        state.permits = [...state.permits, id];
        return true;
      }),
    advance: () =>
      stepped(() => {
        state.epoch++;
        return state.permits;
      }),
    end: (_, id) =>
      stepped(() => {
        state.permits = state.permits.filter((one) => one !== id);
      }),
    permits: () => stepped(() => [{ tenant_id: TENANT, deletion_ids: state.permits }]),
  };
  const active = () =>
    stepped(() =>
      state.holds
        .filter((hold) => hold.active && hold.kind === 'HOLD')
        .map(
          (hold) => ({ hold_id: hold.id, matter_id: null, scope: { event_ids: [hold.over] } }) as unknown as StoredHold,
        ),
    );
  const underRequest = () =>
    stepped(() => state.holds.filter(({ active: is, kind }) => is && kind === 'REQUEST').map(({ over }) => over));
  const refuse = () => stepped(() => undefined);
  const holds = { forTenant: () => ({ active, refuse }), tenantIds: async () => [TENANT] } as unknown as HoldStore;
  const finish = async (_: TenantId, id: string): Promise<void> => {
    for (const thing of state.prepared.get(id) ?? []) await stepped(() => void state.gone.add(thing));
  };
  return { gate: new DeletionGate({ holds, gates, clock: new ManualClock(), finish, underRequest }), stepped };
}

const subjectOf = (id: string): HoldSubject => ({ kind: 'EVENT', id, facts: { member_ids: [id] } });

/** @returns the broken promises. */
async function run(seed: number, blindTo: State['blindTo'] = null): Promise<readonly string[]> {
  const random = seeded(seed);
  const scheduler = new Scheduler(random);
  const state: State = {
    epoch: 0,
    passes: 0,
    permits: [],
    holds: [],
    prepared: new Map(),
    gone: new Set(),
    certified: [],
    blindTo,
  };
  const broken: string[] = [];
  const owed: { readonly hold: State['holds'][number]; readonly thing: string }[] = [];
  let ids = 0;
  const sweep = async (name: number): Promise<void> => {
    const { gate, stepped } = processOver(state, scheduler, name);
    const subjects = () => stepped(() => THINGS.filter((thing) => !state.gone.has(thing)).map(subjectOf));
    const prepare = (permitted: readonly HoldSubject[]) =>
      stepped(() => {
        const id = `d${ids++}`;
        state.prepared.set(
          id,
          permitted.map((subject) => subject.id),
        );
        return id;
      });
    await gate.pass(TENANT, { subjects, prepare, abandon: (id) => stepped(() => void state.prepared.delete(id)) });
  };
  const hold = async (name: number): Promise<void> => {
    const { gate, stepped } = processOver(state, scheduler, name);
    const over = THINGS[Math.floor(random() * THINGS.length)] ?? 'e1';
    const kind = random() < 0.5 ? ('HOLD' as const) : ('REQUEST' as const);
    const placed = { id: `h${ids++}`, kind, over, active: true, settled: false };
    await stepped(() => void state.holds.push(placed));
    await gate.close(TENANT);
    // The hold is acknowledged here: a record that exists now exists until the release is requested.
    placed.settled = true;
    if (!state.gone.has(over)) owed.push({ hold: placed, thing: over });
    if (random() < 0.3) {
      await stepped(() => {
        placed.active = false;
      });
    }
  };
  const resume = (name: number): Promise<void> => processOver(state, scheduler, name).gate.resume();
  const acts = [sweep, hold, sweep, hold, sweep, resume];
  const count = 3 + Math.floor(random() * 4);
  const names = Array.from({ length: count }, (_, name) => name);
  for (const name of names) void (acts[Math.floor(random() * acts.length)] ?? sweep)(name);
  const judge = (): void => {
    for (const { hold: placed, thing } of owed) {
      if (placed.active && state.gone.has(thing)) broken.push(`${thing} went under ${placed.id}`);
    }
  };
  await scheduler.run(Math.floor(random() * 3), names);
  judge();
  // The next process after a crash completes permitted deletions: no record is half deleted.
  const last = processOver(state, scheduler, 1_000).gate.resume();
  await scheduler.run(0, [1_000]);
  await last;
  judge();
  if (state.permits.length > 0) broken.push('a permit was left');
  if (new Set(state.certified).size < state.certified.length) broken.push('a thing is certified to be gone twice');
  return broken;
}

describe('the deletion gate', () => {
  it(`deletes nothing held or requested, and nothing twice, in ${ORDERS} orders of steps and crashes`, async () => {
    for (let n = 0; n < ORDERS; n++) {
      const broken = await run(SEED + n);
      if (broken.length > 0) throw new Error(`seed ${SEED + n}: ${broken.join('; ')}`);
    }
  }, 3_600_000);

  it.each(['epoch', 'passes'] as const)('fails this test if a permit ignores the %s', async (blindTo) => {
    let losses = 0;
    for (let n = 0; n < 2_000 && losses === 0; n++) losses += (await run(SEED + n, blindTo)).length;
    expect(losses).toBeGreaterThan(0);
  });
});

describe('a hold over a member', () => {
  const scope = { member_ids: ['M-1'], event_families: ['claims'] };
  const hold = { hold_id: 'h1', matter_id: null, scope } as unknown as StoredHold;
  const holds = { forTenant: () => ({ active: async () => [hold] }) } as unknown as HoldStore;
  const of = (member: string, family = 'claims'): HoldSubject => ({
    kind: 'EVENT',
    id: `${member} ${family}`,
    facts: { member_ids: [member], event_families: [family] },
  });
  const gateWith = (membersOf?: (tenant: TenantId, member: string) => Promise<readonly string[]>): DeletionGate => {
    const finish = async (): Promise<void> => undefined;
    const gates = {} as unknown as GateStore;
    return new DeletionGate({ holds, gates, clock: new ManualClock(), finish, ...(membersOf && { membersOf }) });
  };
  const heldBy = async (gate: DeletionGate): Promise<string[]> => {
    const subjects = [of('M-1'), of('M-2'), of('M-3'), of('M-2', 'appeals')];
    return [...(await gate.holdsOver(TENANT, subjects)).keys()];
  };

  it('covers every id merged with the person in either direction, and no other', async () => {
    const person = async (_: TenantId, member: string) => (member === 'M-1' ? ['M-2', 'M-1'] : [member]);
    expect(await heldBy(gateWith(person))).toEqual(['M-1 claims', 'M-2 claims']);
    expect(await heldBy(gateWith())).toEqual(['M-1 claims']);
  });

  it('deletes nothing while the member directory does not answer', async () => {
    const silent = gateWith(() => Promise.reject(new Error('no answer')));
    await expect(silent.holdsOver(TENANT, [of('M-3')])).rejects.toThrow('no answer');
  });
});
