import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Db } from 'mongodb';
import { OPERATIONS } from '../../../../bench/sharding/operations.js';
import { systemClock } from '../../../../shared/clock/clock.js';
import { SHARDED, type ShardKey } from '../../../../shared/db/sharding/plan.js';
import { type Routing, routingOf } from '../../../../shared/db/sharding/routing.js';
import { GridFsBlobs } from '../../../../shared/worm/blobs/gridfs-blobs.js';
import type { LedgerRow } from '../../../../subgraphs/ledger/append/domain/index.js';
import { mongoLedgerStore } from '../../../../subgraphs/ledger/append/index.js';
import { mongoTreeStore } from '../../../../subgraphs/ledger/transparency/index.js';
import { startTestServer, type TestServer } from '../../../support/database.js';

interface Seen {
  readonly collection: string;
  /** A filter, or a row that is inserted: mongos sends it by its own values. */
  readonly filter: Readonly<Record<string, unknown>>;
}

/** The same database, with the filters of all reads and the rows of all inserts noted. */
function noting(db: Db, seen: Seen[]): Db {
  const note = (collection: string, given: unknown): void => {
    for (const filter of Array.isArray(given) ? given : [given]) seen.push({ collection, filter });
  };
  const wrapped = (name: string, collection: object): object =>
    new Proxy(collection, {
      get: (target, member) => {
        const value: unknown = Reflect.get(target, member, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (['find', 'findOne', 'insertMany', 'insertOne'].includes(String(member))) note(name, args[0]);
          return value.apply(target, args);
        };
      },
    });
  return new Proxy(db, {
    get: (target, member) => {
      if (member !== 'collection') return Reflect.get(target, member, target);
      return (name: string, options: object) => wrapped(name, target.collection(name, options));
    },
  });
}

const keyOf = (collection: string): ShardKey => SHARDED.find(({ name }) => name === collection)?.key ?? {};

describe('operations on sharded collections', () => {
  let server: TestServer;
  let db: Db;
  const seen: Seen[] = [];

  beforeAll(async () => {
    server = await startTestServer();
    db = noting((await server.connect('sharding')).db, seen);
  });
  afterAll(() => server.stop());

  const row = { _id: { tenant_id: 't', source_system: 'written', seq: 1 }, tenant_id: 't', source_system: 'written' };
  const ledger = () => mongoLedgerStore(db).forTenant('t');
  const tree = () => mongoTreeStore(db)('t');
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    // A row with the members that mongos looks at; nothing reads it again.
    'ledger append': () => ledger().append([row as LedgerRow]),
    'ledger entriesByFact': () => ledger().entriesByFact('s', ['f'], 1),
    'ledger tail': () => ledger().tail('s'),
    'ledger byEventId': () => ledger().byEventId('evt'),
    'ledger list': () => ledger().list({ limit: 1, ascending: true }),
    'ledger ofMembersAt': async () => {
      await db.collection('ledger').createIndex({
        tenant_id: 1,
        'query.member_id': 1,
        'query.effective_at': -1,
        event_id: -1,
      });
      return ledger().ofMembersAt(['m'], [1], 1);
    },
    'ledger rowsOfRecords': () => ledger().rowsOfRecords('s', ['r']),
    'ledger sourceSystems': () => ledger().sourceSystems(),
    'ledger head': () => ledger().head('s'),
    'ledger keys': () => ledger().keys('s', 1, 1),
    'ledger rows': () => ledger().rows('s', 5, 6, 1),
    'ledger rowsAt': () => ledger().rowsAt('s', [5]),
    'ledger wormHashes': () => ledger().wormHashes('s', 1, 1),
    'tree treeIndexOf': () => tree().treeIndexOf('s', [1]),
    'tree ofChain': () => tree().ofChain('s', 1, 1),
    'tree leavesAt': () => tree().leavesAt([{ source_system: 's', seq: 1 }]),
    'tree assignedUpTo': () => tree().assignedUpTo('s'),
    'tree size': () => tree().size(),
    'tree rows': () => tree().rows(0, 1),
    'contents blocks': async () => {
      for await (const _ of new GridFsBlobs(db, db, systemClock).blocks('blb', 0, 1)) break;
    },
  };

  it.each(OPERATIONS.map(({ store, operation, routing }) => [`${store} ${operation}`, routing] as const))(
    '%s is %s, as the simulator prints it',
    async (name, routing) => {
      seen.length = 0;
      await calls[name]?.();
      const routings = new Set<Routing>(seen.map(({ collection, filter }) => routingOf(keyOf(collection), filter)));
      expect([...routings]).toEqual([routing]);
    },
  );
});
