import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { seeded } from '../../support/random.js';
import { Acts, openVault, startTestServer, type TestServer, type VaultProcess, YEAR_MS } from './retention-kit.js';

// Ingest, holds, releases, redactions and sweeps at once, in orders drawn from a seed. The answers are the oracle: a record
// that existed when its hold was acknowledged exists until the release of that hold was requested.

const ROUNDS = Number(process.env['VAULT_INTERLEAVINGS'] ?? 3);
const SEED = Number(process.env['VAULT_SEED'] ?? 20260302);
/** A chain is verified as a whole at every step, so that it is kept short. */
const ROUNDS_A_TENANT = 10;
/** Tenants at once: while one waits for the disk, others have the processor. */
const TENANTS_AT_ONCE = 8;
const BATCHES_A_SERVER = 10;
const LONG_STEP = 5;
const HOUR_MS = 3_600_000;
const PUT_POLICIES = 'mutation($input: RetentionPoliciesInput!) { putRetentionPolicies(input: $input) { revision } }';
const COUNTED_FROM_EFFECT = {
  default_years: 10,
  policies: [{ event_family: 'utilization_management', years: 10, counts_from: 'EFFECTIVE' }],
};
/** The first tenant's seed: a long run in parts continues where the previous part ended. */
const FIRST = Number(process.env['VAULT_INTERLEAVINGS_FROM'] ?? 0);
const MEMBERS = ['M-1', 'M-2', 'M-3'];

let server: TestServer;
let vault: VaultProcess;

async function open(): Promise<void> {
  server = await startTestServer();
  vault = await openVault(server);
}

async function close(): Promise<void> {
  await vault.close();
  await server.stop();
}

beforeAll(open);
afterAll(close);

interface Known {
  readonly id: string;
  readonly member: string;
}

interface Placed {
  readonly id: string;
  readonly member: string;
  /** Events that were there when the hold was answered, or came after. */
  readonly owed: Set<string>;
  released: boolean;
}

class World {
  readonly acts: Acts;
  readonly #random: () => number;
  readonly #events: Known[] = [];
  readonly #holds: Placed[] = [];
  #names = 0;

  constructor(acts: Acts, random: () => number) {
    this.acts = acts;
    this.#random = random;
  }

  pick<T>(list: readonly T[]): T {
    const found = list[Math.floor(this.#random() * list.length)];
    if (found === undefined) throw new Error('nothing to pick from');
    return found;
  }

  async ingest(): Promise<void> {
    const member = this.pick(MEMBERS);
    const owing = this.#holds.filter((hold) => hold.member === member && !hold.released);
    // Past its age when it comes: every sweep wants it.
    const event_effective_timestamp = new Date(vault.clock.nowMs() - 10.1 * YEAR_MS).toISOString();
    const [id] = await this.acts.ingest([`n-${this.#names++}`], { member_id: member, event_effective_timestamp });
    this.#events.push({ id: String(id), member });
    for (const hold of owing) hold.owed.add(String(id));
  }

  async hold(): Promise<void> {
    const member = this.pick(MEMBERS);
    const id = await this.acts.hold(this.#random() < 0.5 ? { member_ids: [member] } : this.#scopeByName(member));
    const known = this.#events.filter((event) => event.member === member);
    const owed = await this.#there(known.map((event) => event.id));
    this.#holds.push({ id, member, owed, released: false });
  }

  /** Over the member as well: what comes later is owed by it too. */
  #scopeByName(member: string): object {
    const event_ids = this.#events.filter((known) => known.member === member).map(({ id }) => id);
    return { member_ids: [member], event_ids };
  }

  async release(): Promise<void> {
    const standing = this.#holds.filter(({ released }) => !released);
    if (standing.length === 0) return;
    const hold = this.pick(standing);
    hold.released = true;
    await this.acts.release(hold.id);
  }

  async redact(): Promise<void> {
    if (this.#events.length === 0) return;
    const { id } = this.pick(this.#events);
    try {
      await redact(this.acts.tenant, id);
    } catch (error) {
      // Disposed of before or meanwhile: there is nothing left to hide.
      expect(['DISPOSED', 'CONFLICT', 'VALIDATION_ERROR', 'NOT_FOUND']).toContain((error as { code?: string }).code);
    }
  }

  async sweep(): Promise<void> {
    await this.acts.sweep();
  }

  async verify(): Promise<void> {
    expect(await this.acts.verify()).toEqual(expect.objectContaining({ valid: true, breaks: [] }));
  }

  async judge(): Promise<void> {
    const owed = new Set(this.#holds.flatMap((hold) => (hold.released ? [] : [...hold.owed])));
    expect(await this.#there([...owed])).toEqual(owed);
    await this.verify();
  }

  async #there(ids: readonly string[]): Promise<Set<string>> {
    const states = await Promise.all(ids.map((id) => this.acts.stateOf(id)));
    return new Set(ids.filter((_, i) => isThere(states[i] ?? '')));
  }
}

const isThere = (state: string): boolean => state === 'INCLUDED' || state === 'REDACTED';

async function redact(tenant: TenantId, id: string): Promise<void> {
  const draft = `mutation($input: RedactionDraft!) { draftRedaction(input: $input) { redaction_id } }`;
  const apply = `mutation($id: String!) { applyRedaction(redaction_id: $id) { status } }`;
  const subject = { kind: 'EVENT', id };
  const input = { subject, pointers: ['/outcome'], reason: 'Names a third person.', basis: '45 CFR 164.502(b)' };
  const { draftRedaction } = await vault.ask('vault', tenant, draft, { input });
  await vault.ask('vault', tenant, apply, { id: draftRedaction.redaction_id }, 'key_01JQ0000000000000000000002');
}

/** Two to six acts at once, each begun after a few turns of the event loop. */
async function round(world: World, random: () => number): Promise<void> {
  const kinds = ['ingest', 'hold', 'release', 'redact', 'sweep', 'sweep', 'verify'] as const;
  const acts = Array.from({ length: 2 + Math.floor(random() * 5) }, () => ({
    kind: world.pick(kinds),
    turns: Math.floor(random() * 40),
  }));
  await Promise.all(
    acts.map(async ({ kind, turns }) => {
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      await world[kind]();
    }),
  );
  await world.judge();
}

/** Rounds of several tenants under one clock: each step is one round per tenant. Every tenant has a separate seed. */
async function batch(first: number, counts: readonly number[]): Promise<void> {
  const worlds = await Promise.all(
    counts.map(async (rounds, n) => {
      const random = seeded(SEED + first + n);
      const tenant = await vault.tenant(`tenant-${first + n}`);
      await vault.ask('vault', tenant, PUT_POLICIES, { input: COUNTED_FROM_EFFECT });
      return { rounds, random, world: new World(new Acts(vault, tenant), random) };
    }),
  );
  for (let step = 0; step < Math.max(...counts); step++) {
    const taking = worlds.filter(({ rounds }) => step < rounds);
    await Promise.all(
      taking.map(async ({ world }) => {
        for (let i = 0; i < 3; i++) await world.ingest();
      }),
    );
    // Stored bytes that were taken up a day ago may go, and once in a batch everything is older than a decade.
    vault.clock.advance(step === LONG_STEP ? 10.1 * YEAR_MS : 25 * HOUR_MS);
    await Promise.all(taking.map(({ world, random }) => round(world, random)));
  }
}

/** How many rounds each tenant takes, in batches of so many tenants at once. */
function batches(): number[][] {
  const tenants = Math.ceil(ROUNDS / ROUNDS_A_TENANT);
  const counts = Array.from({ length: tenants }, (_, n) => Math.min(ROUNDS_A_TENANT, ROUNDS - n * ROUNDS_A_TENANT));
  return Array.from({ length: Math.ceil(tenants / TENANTS_AT_ONCE) }, (_, n) =>
    counts.slice(n * TENANTS_AT_ONCE, (n + 1) * TENANTS_AT_ONCE),
  );
}

describe('holds, releases, redactions and sweeps at once', () => {
  it(`lose no held record and break no chain in ${ROUNDS} rounds`, async () => {
    for (const [n, counts] of batches().entries()) {
      // A separate database keeps each batch as fast as the first.
      if (n > 0 && n % BATCHES_A_SERVER === 0) {
        await close();
        await open();
      }
      await batch(FIRST + n * TENANTS_AT_ONCE, counts);
    }
  }, 600_000_000);
});
