import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../shared/db/database.js';
import { evaluate, evaluateDue } from '../../../subgraphs/ledger/links/evaluate-links.js';
import { LINKS, mongoLinkStore } from '../../../subgraphs/ledger/links/model.js';
import type { LinkRow, LinkStore } from '../../../subgraphs/ledger/links/ports.js';
import { prepareLedgerCollections } from '../../../subgraphs/ledger/prepare.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ManualClock, recordingLogger } from '../../support/fakes.js';

// What becomes of a verdict when something fails, or something else happens, in the midst of it.

const TENANT = 'acme-health';
const GRACE_MS = 1_000;

let server: TestServer;
let database: Database;
beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('link_judging');
  await prepareLedgerCollections(database);
});
afterAll(() => server.stop());
beforeEach(async () => {
  await database.db.collection(LINKS.name).deleteMany({});
});

let events = 0;

function row(clock: ManualClock, role: LinkRow['role'], over: Partial<LinkRow> = {}): LinkRow {
  events += 1;
  return {
    tenant_id: TENANT,
    source_system: 'feed',
    seq: events,
    event_id: `evt_01JQ${String(events).padStart(22, '0')}`,
    event_type: role === 'CLAIM' ? 'claim_submitted' : 'claim_adjudicated',
    role,
    at: new Date(clock.nowMs()),
    outcome: 'denied',
    member: 'm',
    keys: ['CLAIM:C-1'],
    replaces: [],
    answers: [],
    denied_for: [],
    clock: null,
    watched: role === 'REMITTANCE',
    due_at: role === 'REMITTANCE' ? new Date(clock.nowMs() + GRACE_MS) : null,
    opened: [],
    ...over,
  };
}

/** Exceptions as a queue keeps them: named ones once for all. */
class Desk {
  readonly standing = new Set<string>();
  readonly ever = new Set<string>();
  failures = 0;
  /** What happens just before an exception is there. */
  meanwhile: () => Promise<void> = async () => undefined;

  deps(clock: ManualClock, links: LinkStore) {
    const { logger } = recordingLogger();
    return {
      clock,
      links,
      logger,
      openExceptions: async (_tenant: string, drafts: readonly { exception_id?: string; kind: string }[]) => {
        if (drafts.length > 0 && this.failures > 0) {
          this.failures -= 1;
          throw new Error('a fault of the test');
        }
        if (drafts.length > 0) await this.meanwhile();
        for (const { exception_id = '', kind } of drafts) {
          if (!this.ever.has(exception_id)) this.standing.add(kind);
          this.ever.add(exception_id);
        }
        return [];
      },
      resolveException: async (_tenant: string, kind: string) => void this.standing.delete(kind),
    };
  }
}

const never = new AbortController().signal;

describe('a verdict', () => {
  it('that could not be reported is reported an hour later, once', async () => {
    const clock = new ManualClock();
    const store = mongoLinkStore(database.db);
    const desk = new Desk();
    const deps = desk.deps(clock, store);
    await store.forTenant(TENANT).put([row(clock, 'REMITTANCE')]);
    clock.advance(GRACE_MS);
    desk.failures = 1;
    await evaluateDue(deps, never);
    expect([...desk.standing]).toEqual([]);
    clock.advance(3_600_000);
    await evaluateDue(deps, never);
    clock.advance(3_600_000);
    await evaluateDue(deps, never);
    expect([...desk.standing]).toEqual(['UNMATCHED_REMITTANCE']);
    expect(desk.ever.size).toBe(1);
  });

  it('that a crash left unreported is due at once', async () => {
    const clock = new ManualClock();
    const store = mongoLinkStore(database.db);
    const desk = new Desk();
    const remittance = row(clock, 'REMITTANCE');
    await store.forTenant(TENANT).put([remittance]);
    clock.advance(GRACE_MS);
    desk.failures = 1;
    // As a crash leaves it: nothing after the failure runs.
    await expect(evaluate(desk.deps(clock, store), remittance)).rejects.toThrow('a fault of the test');
    await evaluateDue(desk.deps(clock, store), never);
    expect([...desk.standing]).toEqual(['UNMATCHED_REMITTANCE']);
  });

  it('is resolved when the claim arrives during the report', async () => {
    const clock = new ManualClock();
    const store = mongoLinkStore(database.db);
    const desk = new Desk();
    const deps = desk.deps(clock, store);
    const links = store.forTenant(TENANT);
    const remittance = row(clock, 'REMITTANCE');
    await links.put([remittance]);
    clock.advance(GRACE_MS);
    desk.meanwhile = async () => {
      desk.meanwhile = async () => undefined;
      // As the consumer of the claim does: the claim is there, then it looks for those that wait.
      const claim = row(clock, 'CLAIM');
      await links.put([claim]);
      for (const waiting of await links.waiting(claim.keys, 10)) await evaluate(deps, waiting);
    };
    await evaluateDue(deps, never);
    expect([...desk.standing]).toEqual([]);
    expect(desk.ever.size).toBe(1);
    expect(await links.waiting(remittance.keys, 10)).toEqual([]);
  });

  it('of one failing row does not block the others', async () => {
    const clock = new ManualClock();
    const store = mongoLinkStore(database.db);
    const desk = new Desk();
    await store.forTenant(TENANT).put([row(clock, 'REMITTANCE'), row(clock, 'REMITTANCE', { keys: ['CLAIM:C-2'] })]);
    clock.advance(GRACE_MS);
    desk.failures = 1;
    await evaluateDue(desk.deps(clock, store), never);
    expect(desk.ever.size).toBe(1);
  });
});

describe('links of a tenant', () => {
  it('never include those of another tenant', async () => {
    const clock = new ManualClock();
    const store = mongoLinkStore(database.db);
    const mine = row(clock, 'CLAIM');
    await store.forTenant(TENANT).put([mine]);
    await store.forTenant('other').put([row(clock, 'REMITTANCE', { tenant_id: 'other' })]);
    const sharing = await store.forTenant(TENANT).sharing(mine.keys, ['CLAIM', 'REMITTANCE'], 10);
    expect(sharing).toEqual([mine]);
    expect(await store.forTenant(TENANT).waiting(mine.keys, 10)).toEqual([]);
    expect(await store.forTenant('other').byEventId(mine.event_id)).toBeNull();
  });

  it('are replaced when stored again, and gone when removed', async () => {
    const clock = new ManualClock();
    const links = mongoLinkStore(database.db).forTenant(TENANT);
    const first = row(clock, 'CLAIM');
    await links.put([first]);
    await links.put([{ ...first, keys: ['CLAIM:C-9'] }, row(clock, 'CLAIM', { keys: ['CLAIM:C-8'] })]);
    expect(await links.sharing(['CLAIM:C-1'], ['CLAIM'], 10)).toEqual([]);
    expect(await links.sharing(['CLAIM:C-8', 'CLAIM:C-9'], ['CLAIM'], 10)).toHaveLength(2);
    await links.remove([first]);
    expect(await links.byEventId(first.event_id)).toBeNull();
  });
});
