import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Db } from 'mongodb';
import type { RequestContext } from '../../../shared/auth/context.js';
import { effectiveScopes } from '../../../shared/auth/scopes.js';
import type { LedgerRecord } from '../../../shared/contracts/ledger-records.js';
import { MasterKey } from '../../../shared/crypto/master-key.js';
import type { Database } from '../../../shared/db/database.js';
import type { ProjectedKind } from '../../../shared/facts/guard.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { Outbox } from '../../../shared/outbox/outbox.js';
import { performersOver } from '../../../shared/outbox/performers.js';
import { createIndexes } from '../../../shared/records/collections.js';
import { createMember } from '../../../subgraphs/members-graph/members/change-member.js';
import { followLedger } from '../../../subgraphs/members-graph/members/follow-ledger.js';
import { membersArea } from '../../../subgraphs/members-graph/members/index.js';
import { mergeMembers, showMerge, unmergeMembers } from '../../../subgraphs/members-graph/members/merge-members.js';
import { changeStore, feedCursors, unknownStore } from '../../../subgraphs/members-graph/members/model/logs.js';
import { MEMBERS, MERGES, memberStore } from '../../../subgraphs/members-graph/members/model/members.js';
import { mergeStore } from '../../../subgraphs/members-graph/members/model/merges.js';
import type { MembersEffect } from '../../../subgraphs/members-graph/parts.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import {
  ManualClock,
  RecordingDesk,
  RecordingPlatformEvents,
  RecordingSystemLedger,
  recordingLogger,
} from '../../support/fakes.js';
import { MemoryLedgerFeed } from '../../support/ledger-feed.js';
import { MemoryFacts, memoryGuard } from '../../support/memory-facts.js';

// A process dies before its n-th write, for every n. Its successor sweeps, follows the ledger and repeats the request. The result
// must equal the result without a crash.

const WRITES = new Set(['insertOne', 'insertMany', 'updateOne', 'updateMany', 'bulkWrite', 'deleteOne', 'deleteMany']);

const ulids = ulidIds(() => Date.UTC(2026, 2, 2), systemRandomness());

let server: TestServer;
let database: Database;
beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('eas');
  await createIndexes(database.db, membersArea.collections ?? []);
});
afterAll(() => server.stop());

/** How many writes a process has left; none means that it is dead, and reads nothing any more either. */
class Life {
  #left: number;

  constructor(writes: number) {
    this.#left = writes;
  }

  get isOver(): boolean {
    return this.#left < 0;
  }

  write(): void {
    this.#left -= 1;
    this.read();
  }

  read(): void {
    if (this.isOver) throw new Error('the process is dead');
  }

  /** The database as this process reaches it. */
  over(db: Db): Db {
    const methods = (rows: Collection): Collection =>
      new Proxy(rows, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...given: unknown[]) => {
            if (WRITES.has(String(name))) this.write();
            else this.read();
            return Reflect.apply(member, target, given);
          };
        },
      });
    return new Proxy(db, {
      get: (target, name) =>
        name === 'collection'
          ? (...given: Parameters<Db['collection']>) => methods(target.collection(...given))
          : Reflect.get(target, name),
    });
  }
}

/** What outlives every process: the ledger, and the exceptions port. */
class World {
  readonly tenantId: TenantId;
  readonly clock = new ManualClock();
  readonly ledger = new RecordingSystemLedger();
  readonly facts = new MemoryFacts();
  readonly desk = new RecordingDesk();
  readonly feed = new MemoryLedgerFeed();
  readonly #records = new Map<string, { readonly event_id: string; readonly record: string }>();

  constructor(tenantId: string) {
    this.tenantId = tenantId as TenantId;
  }

  tell(member_id: string, payload: object): void {
    const [entry] = this.feed.append(this.tenantId, 'claims');
    const event_effective_timestamp = '2026-02-01T00:00:00Z';
    if (!entry) throw new Error('nothing was appended');
    const record = JSON.stringify({ member_id, event_effective_timestamp, payload });
    this.#records.set(`${entry.sequence}`, { event_id: entry.event_id, record });
  }

  readonly records = async (_tenantId: string, places: readonly { readonly seq: number }[]): Promise<LedgerRecord[]> =>
    places.map(({ seq }) => ({ recorded_at: '2026-02-01T00:00:00Z', ...this.#records.get(`${seq}`) }) as never);
}

function processOf(world: World, life: Life) {
  const db = life.over(database.db);
  const { logger } = recordingLogger();
  const randomness = systemRandomness();
  const { tenantId, clock } = world;
  const changes = changeStore(db);
  const kinds: ProjectedKind[] = [];
  const guard = memoryGuard(
    world.facts.seenBy(() => life.write()),
    clock,
    kinds,
  );
  const systemLedger = {
    append: async (...given: Parameters<RecordingSystemLedger['append']>) => {
      life.write();
      await world.ledger.append(...given);
    },
  };
  const outbox: Outbox<MembersEffect> = new Outbox<MembersEffect>(
    {
      database: { ...database, db },
      logger,
      performers: {
        ...performersOver({ systemLedger, platformEvents: new RecordingPlatformEvents() }),
        'keep-member-change': ({ tenant_id, id, change }) => changes(tenant_id).keep(id, change),
        'show-merge': ({ tenant_id, member_id }) =>
          showMerge({ members: memberStore(db, outbox), merges, clock }, tenant_id, member_id),
        'data-right': async () => {
          throw new Error('nobody asks for their rights here');
        },
      },
    },
    [MEMBERS.name, MERGES.name],
  );
  const merges = mergeStore({ db, outbox, guard, referenceOf: (_, id) => id });
  const deps = {
    clock,
    randomness,
    ids: ulidIds(() => clock.nowMs(), randomness),
    masterKey: new MasterKey(Buffer.alloc(32, 7)),
    logger,
    members: memberStore(db, outbox),
    merges,
    unknowns: unknownStore(db),
    cursors: feedCursors(db),
    exceptions: world.desk,
    ledgerFeed: world.feed,
    ledgerRecords: { records: world.records },
    ledgerDisposal: { tenantIds: async () => [tenantId] },
    known: async () => {},
  };
  /** Like the sweep of facts: `member-merges/tenant` is the only subject with rows. */
  const project = () => kinds.find(({ kind }) => kind === 'member-merges')?.project(tenantId, 'tenant');
  return { deps, outbox, project };
}

const contextOf = (tenantId: TenantId, workId: string | null): RequestContext => ({
  requestId: 'req_01JQ0000000000000000000001',
  traceparent: null,
  workId,
  tenantId,
  principal: {
    keyId: 'key_01JQ0000000000000000000001',
    keyName: 'test',
    actorId: null,
    tenantId,
    grantedScopes: ['admin'],
    scopes: effectiveScopes(['admin']),
  },
});

/** Everything that is known of the tenant's members, without the ids that chance makes. */
async function stateOf(world: World) {
  const { db } = database;
  const tenant = { tenant_id: world.tenantId };
  const members = await db.collection(MEMBERS.name).find(tenant).sort({ member_id: 1 }).toArray();
  const changes = await db.collection('member_changes').find(tenant).toArray();
  const merges = await db.collection(MERGES.name).find(tenant).sort({ number: 1 }).toArray();
  return {
    members: members.map(({ _id, keys, tenant_id, ...row }) => ({ ...row, keys: keys.length })),
    changes: changes.map(({ member_id, action, revision }) => `${member_id} ${action} ${revision}`).sort(),
    merges: merges.map(({ number, action, source_id, target_id, pending }) => [
      number,
      action,
      source_id,
      target_id,
      pending,
    ]),
    entries: [...world.ledger.typesOf(world.tenantId), ...world.facts.typesOf(world.tenantId)].sort(),
    exceptions: [...new Set(world.desk.opened.map(({ subject }) => JSON.stringify(subject)))].length,
    cursors: await feedCursors(db).of(world.tenantId),
  };
}

type Work = (process: ReturnType<typeof processOf>, context: RequestContext) => Promise<unknown>;

/** Lives that end before each of their writes; the last one is long enough. */
async function everyDeath(name: string, before: Work, work: Work): Promise<number> {
  let whole: unknown;
  for (let writes = 1_000, died = true; died; writes = writes === 1_000 ? 0 : writes + 1) {
    const world = new World(`${name}-${writes}`);
    world.tell('M-1', { patient: { id: 'M-1', last_name: 'Doe', first_name: 'Ann', birth_date: '1980-02-03' } });
    world.tell('M-2', { patient: { id: 'M-2', last_name: 'Roe', first_name: 'Ben' } });
    // At the same time as the first, and contradicting it.
    world.tell('M-1', { patient: { id: 'M-1', last_name: 'Major', first_name: 'Ann' } });
    world.tell('M-9', { note: 'of somebody whom the directory does not have' });
    const next = processOf(world, new Life(Number.POSITIVE_INFINITY));
    await before(next, contextOf(world.tenantId, null));
    const life = new Life(writes);
    // Ids follow from the work's, so that each tenant has its own.
    const context = contextOf(world.tenantId, ulids.next('work'));
    await work(processOf(world, life), context).catch((error: unknown) => {
      if (!life.isOver) throw error;
    });
    died = life.isOver || writes === 1_000;
    await next.project();
    const left = await next.outbox.sweep();
    expect([name, writes, left.failed]).toEqual([name, writes, 0]);
    await work(next, context);
    const state = await stateOf(world);
    whole ??= state;
    expect([writes, state]).toEqual([writes, whole]);
    if (!died) return writes;
  }
  throw new Error('not reached');
}

const person = (member_id: string) => ({ member_id, name: { family: 'Twice', given: ['Ann'], suffix: null } });

describe('a process that dies at any point', () => {
  it('applies events to members once', async () => {
    const deaths = await everyDeath(
      'feed',
      ({ deps }, context) => createMember(deps, context, person('M-kept')),
      ({ deps }) => followLedger(deps),
    );
    expect(deaths).toBeGreaterThan(10);
  }, 120_000);

  it('merges two records once, with one entry', async () => {
    const both: Work = async ({ deps }, context) => {
      for (const id of ['A-1', 'A-2']) await createMember(deps, context, person(id));
    };
    const input = { memberId: 'A-1', sourceId: 'A-2', reason: 'One person.' };
    expect(await everyDeath('merge', both, ({ deps }, context) => mergeMembers(deps, context, input))).toBeGreaterThan(
      4,
    );
    const merged: Work = async (process, context) => {
      await both(process, context);
      await mergeMembers(process.deps, context, input);
    };
    const undo: Work = ({ deps }, context) => unmergeMembers(deps, context, input);
    expect(await everyDeath('unmerge', merged, undo)).toBeGreaterThan(4);
  }, 120_000);
});
