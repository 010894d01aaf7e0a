import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TenantId } from '../../shared/ids/tenant.js';
import { seeded } from '../support/random.js';
import { Acts, openVault, startTestServer, type TestServer, type VaultProcess, YEAR_MS } from './retention-kit.js';

// Ingest, holds, releases, redactions and sweeps at once, in orders drawn from a seed. The answers are the oracle: what was
// there when a hold over it was answered is there until the release of that hold was asked for.

const ROUNDS = Number(process.env['VAULT_INTERLEAVINGS'] ?? 3);
const SEED = Number(process.env['VAULT_SEED'] ?? 20260302);
/** A chain is verified as a whole at every step, so that it is kept short. */
const ROUNDS_A_TENANT = 10;
const MEMBERS = ['M-1', 'M-2', 'M-3'];

let server: TestServer;
let vault: VaultProcess;

beforeAll(async () => {
  server = await startTestServer();
  vault = await openVault(server);
});

afterAll(async () => {
  await vault.close();
  await server.stop();
});

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
    const [id] = await this.acts.ingest([`n-${this.#names++}`], { member_id: member });
    this.#events.push({ id: String(id), member });
    for (const hold of owing) hold.owed.add(String(id));
  }

  async hold(): Promise<void> {
    const member = this.pick(MEMBERS);
    const id = await this.acts.hold(this.#random() < 0.5 ? { member_ids: [member] } : this.#scopeByName(member));
    const owed = new Set<string>();
    for (const event of this.#events.filter((known) => known.member === member)) {
      if (isThere(await this.acts.stateOf(event.id))) owed.add(event.id);
    }
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
    for (const hold of this.#holds.filter(({ released }) => !released)) {
      for (const id of hold.owed) expect([id, isThere(await this.acts.stateOf(id))]).toEqual([id, true]);
    }
    await this.verify();
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

describe('holds, releases, redactions and sweeps at once', () => {
  test(`lose nothing that is held, and break no chain: ${ROUNDS} rounds`, async () => {
    const random = seeded(SEED);
    let world: World | undefined;
    for (let n = 0; n < ROUNDS; n++) {
      if (world === undefined || n % ROUNDS_A_TENANT === 0) {
        world = new World(new Acts(vault, await vault.tenant(`round-${n}`)), random);
      }
      for (let i = 0; i < 3; i++) await world.ingest();
      // What has just come is past its age in the same round.
      vault.clock.advance(10.1 * YEAR_MS);
      await round(world, random);
    }
  }, 600_000_000);
});
