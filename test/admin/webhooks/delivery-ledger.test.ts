import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { messageIdOf } from '../../../shared/contracts/platform-events.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { MemoryLedgerFeed } from '../../support/ledger-feed.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { type Deliveries, deliveriesOver } from './delivery-kit.js';
import { answered, asTenant } from './subscriptions-kit.js';

const TENANT = 'acme';

let server: TestServer;
let service: Deliveries;
let receiver: Receiver;
let feed: MemoryLedgerFeed;
let databases = 0;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  databases += 1;
  feed = new MemoryLedgerFeed();
  service = await deliveriesOver(server, `follow${databases}`, { ledgerFeed: feed });
  receiver = await startReceiver();
});
afterEach(async () => {
  await service.admin.close();
  await receiver.close();
});

const subscribe = (input: Record<string, unknown> = {}) =>
  service.subscribe(TENANT, receiver.url, { event_types: ['event.ingested'], ...input });

/** The events that the receiver got, in order: chain and place. */
const told = (): string[] =>
  receiver.received.map(({ body }) => {
    const { data } = JSON.parse(body.toString()) as { data: { source_system: string; sequence: number } };
    return `${data.source_system} ${data.sequence}`;
  });

/** The net's look, and everything that is due. */
const look = async (of: Deliveries = service): Promise<void> => {
  await of.recur('webhooks.follow');
  await of.deliver();
};

describe('a webhook for ledger events', () => {
  it('receives each later event once, with an id derived from the event', async () => {
    feed.append(TENANT, 'um-core', 3);
    const { webhook_id } = await subscribe();
    await look();
    expect(told()).toEqual([]);
    const [event] = feed.append(TENANT, 'um-core', 2);
    feed.append(TENANT, 'new-system');
    await look();
    await look();
    expect(told().sort()).toEqual(['new-system 1', 'um-core 4', 'um-core 5']);
    expect(JSON.parse(String(receiver.received[0]?.body))).toEqual({
      id: messageIdOf(event?.event_id ?? ''),
      type: 'event.ingested',
      tenant_id: TENANT,
      created_at: event?.recorded_at,
      data: event,
    });
    expect((await service.deliveriesOf(webhook_id)).every(({ status }) => status === 'DELIVERED')).toBe(true);
  });

  it('receives an event at once when the ledger reports growth', async () => {
    await subscribe();
    feed.append(TENANT, 'um-core', 2);
    expect(await service.grown(TENANT, ['um-core'])).toBe(true);
    await service.admin.close();
    await service.deliver();
    expect(told()).toEqual(['um-core 1', 'um-core 2']);
  });

  it('receives no earlier event, even if another webhook is behind', async () => {
    await subscribe();
    feed.append(TENANT, 'um-core', 2);
    const later = await service.subscribe(TENANT, `${receiver.url}/later`, { event_types: ['*'] });
    feed.append(TENANT, 'um-core');
    await look();
    expect(told()).toHaveLength(4);
    expect(await service.deliveriesOf(later.webhook_id)).toHaveLength(1);
  });

  it('receives no event of its pause, which it can recover', async () => {
    const { webhook_id } = await subscribe();
    await answered(service.as(TENANT).update(webhook_id, { status: 'PAUSED' }));
    feed.append(TENANT, 'um-core', 2);
    await look();
    feed.append(TENANT, 'um-core');
    await answered(service.as(TENANT).update(webhook_id, { status: 'ACTIVE' }));
    feed.append(TENANT, 'um-core');
    await look();
    expect(told()).toEqual(['um-core 4']);
    const span = { since: '2026-03-02T00:00:00Z', until: '2026-03-03T00:00:00Z' };
    expect(await answered(service.as(TENANT).recover(webhook_id, span))).toMatchObject({ count: 2 });
    await service.deliver();
    expect(told().slice(1).sort()).toEqual(['um-core 1', 'um-core 2']);
  });

  it('misses no event when it is changed or enabled while ACTIVE', async () => {
    const { webhook_id } = await subscribe();
    feed.append(TENANT, 'um-core', 2);
    await answered(service.as(TENANT).update(webhook_id, { status: 'ACTIVE' }));
    await answered(service.as(TENANT).update(webhook_id, { event_types: ['event.*', 'bundle.*'] }));
    await answered(service.as(TENANT).update(webhook_id, { description: 'changed' }));
    await look();
    expect(told()).toEqual(['um-core 1', 'um-core 2']);
  });

  it('receives events from the change that adds them or a source system', async () => {
    const { webhook_id } = await subscribe({ event_types: ['bundle.sealed'] });
    feed.append(TENANT, 'um-core', 2);
    await answered(service.as(TENANT).update(webhook_id, { event_types: ['event.*'], source_systems: ['um-core'] }));
    feed.append(TENANT, 'um-core');
    feed.append(TENANT, 'claims', 2);
    await answered(service.as(TENANT).update(webhook_id, { source_systems: ['um-core', 'claims'] }));
    feed.append(TENANT, 'claims');
    await look();
    expect(told().sort()).toEqual(['claims 3', 'um-core 3']);
  });

  it('receives events of reserved partitions only if it names them', async () => {
    await subscribe();
    await service.subscribe(TENANT, `${receiver.url}/named`, {
      event_types: ['event.ingested'],
      source_systems: ['_custody'],
    });
    feed.append(TENANT, '_custody');
    feed.append(TENANT, 'ai-provenance');
    feed.append(TENANT, 'um-core');
    await look();
    expect(receiver.received.map(({ path }, n) => `${path} ${told()[n]}`).sort()).toEqual([
      '/ um-core 1',
      '/named _custody 1',
    ]);
  });

  it('receives events of its tenant only', async () => {
    await subscribe();
    await service.subscribe('other', `${receiver.url}/other`, { event_types: ['event.ingested'] });
    feed.append(TENANT, 'um-core');
    await look();
    expect(receiver.received.map(({ path }) => path)).toEqual(['/']);
  });

  it('receives more events than one page', async () => {
    await subscribe({ max_in_flight: 64 });
    feed.append(TENANT, 'um-core', 1_100);
    feed.append(TENANT, 'claims', 10);
    await look();
    expect(new Set(told()).size).toBe(1_110);
    expect(receiver.received).toHaveLength(1_110);
  });
});

describe('a tenant without such webhooks', () => {
  it('causes no ledger read and no message', async () => {
    feed.append(TENANT, 'um-core', 5);
    expect(await service.grown(TENANT, ['um-core'])).toBe(false);
    await service.subscribe(TENANT, receiver.url, { event_types: ['bundle.*'] });
    expect(await service.grown(TENANT, ['um-core'])).toBe(false);
    await look();
    expect(feed.reads).toBe(0);
    expect(await service.database.db.collection('messages').countDocuments()).toBe(0);
  });
});

describe('a crash', () => {
  /** A store that fails after some writes and leaves unfinished work as it is. */
  const diesAfter = async (writes: number): Promise<void> => {
    const { db } = service.database;
    const names = ['messages', 'webhook_deliveries', 'webhook_ledger_cursors'] as const;
    const left = { writes };
    const restore = names.map((name) => failing(db.collection(name), left));
    await look();
    for (const undo of restore.reverse()) undo();
  };

  /** Fails inserts and bulk writes of the driver's prototype for one collection. */
  const failing = (collection: { readonly collectionName: string }, left: { writes: number }): (() => void) => {
    const prototype = Object.getPrototypeOf(collection) as Record<string, (...args: unknown[]) => unknown>;
    const undo = (['insertMany', 'bulkWrite'] as const).map((method) => {
      const original = prototype[method];
      if (!original) throw new Error(`the driver has no ${method}`);
      prototype[method] = function (this: { readonly collectionName: string }, ...args: unknown[]) {
        if (this.collectionName !== collection.collectionName) return original.apply(this, args);
        left.writes -= 1;
        if (left.writes < 0) return Promise.reject(new Error('the process is gone'));
        return original.apply(this, args);
      };
      return () => {
        prototype[method] = original;
      };
    });
    return () => {
      for (const each of undo.reverse()) each();
    };
  };

  it.each([
    [0, 'before the messages are kept'],
    [1, 'between messages and deliveries'],
    [2, 'between deliveries and cursor'],
  ])('after %d writes (%s) loses no event; each is sent with one id', async (writes) => {
    const { webhook_id } = await subscribe();
    feed.append(TENANT, 'um-core', 3);
    await diesAfter(writes);
    const next = await deliveriesOver(server, `follow${databases}`, { ledgerFeed: feed, clock: service.clock });
    await look(next);
    expect(new Set(told())).toEqual(new Set(['um-core 1', 'um-core 2', 'um-core 3']));
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    expect(await next.deliveriesOf(webhook_id)).toHaveLength(3);
    await next.admin.close();
  });

  it('of the ledger delays events, and new webhooks are rejected meanwhile', async () => {
    await subscribe();
    feed.append(TENANT, 'um-core');
    feed.failure = new Error('the ledger is away');
    await look();
    expect(told()).toEqual([]);
    const refused = await service.as(TENANT).create({ url: receiver.url });
    expect(refused.code).not.toBeNull();
    feed.failure = undefined;
    await look();
    expect(told()).toEqual(['um-core 1']);
  });

  it('between the answer and the outcome sends the message again with the same id', async () => {
    await subscribe();
    feed.append(TENANT, 'um-core');
    await service.recur('webhooks.follow');
    const rows = service.database.db.collection('webhook_deliveries');
    const prototype = Object.getPrototypeOf(rows) as { bulkWrite: (...args: unknown[]) => unknown };
    const original = prototype.bulkWrite;
    // Refused by name: the writer of outcomes gives such a write up at once, as if it had died.
    prototype.bulkWrite = () => Promise.reject(Object.assign(new Error('gone'), { name: 'MongoBulkWriteError' }));
    await service.deliver();
    prototype.bulkWrite = original;
    service.clock.advance(60_000);
    await service.deliver();
    expect(told()).toEqual(['um-core 1', 'um-core 1']);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const [row] = await rows.find({}).toArray();
    expect(row).toMatchObject({ status: 'DELIVERED', tenant_id: asTenant(TENANT) });
  });
});
