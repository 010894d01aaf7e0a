import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PlatformEvents } from '../../../shared/contracts/platform-events.js';
import { Outbox } from '../../../shared/outbox/outbox.js';
import { platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import { performersOver } from '../../../shared/outbox/performers.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { RecordingSystemLedger, recordingLogger } from '../../support/fakes.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { type Deliveries, deliveriesOver } from './delivery-kit.js';
import { answered, asTenant } from './subscriptions-kit.js';

// A change that carries a platform event, and processes that die between each two writes on its way to a receiver.

const TENANT = 'acme';

let server: TestServer;
let service: Deliveries;
let receiver: Receiver;
let databases = 0;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  databases += 1;
  service = await deliveriesOver(server, `crash${databases}`);
  receiver = await startReceiver();
});
afterEach(async () => {
  await service.admin.close();
  await receiver.close();
});

/** The outbox of another area, with the real webhooks as its port. */
const outboxOf = () => {
  const platformEvents: PlatformEvents = {
    publish: async (tenantId, messages) => void (await service.publish(tenantId, messages)),
  };
  const performers = performersOver({ systemLedger: new RecordingSystemLedger(), platformEvents });
  return new Outbox({ database: service.database, performers, logger: recordingLogger().logger }, ['things']);
};

/** A document that a change has just written, with its event. */
const changed = async (): Promise<void> => {
  const effect = platformEventEffect(
    { next: () => 'eff_01JQ0000000000000000000042' },
    {
      tenant_id: asTenant(TENANT),
      type: 'legal-hold.released',
      at: '2026-03-02T14:11:10.000Z',
      data: { hold_id: 'hld_01JQ0000000000000000000001', at: '2026-03-02T14:11:10.000Z' },
    },
  );
  await service.database.db.collection('things').insertOne({ _id: 'thing' as never, pending: [effect] });
};

/** Lets the nth insert into one of these collections, and all after it, fail. */
const failingInserts = (names: readonly string[], nth: number): (() => void) => {
  const prototype = Object.getPrototypeOf(service.database.db.collection('things')) as {
    insertMany: (...args: unknown[]) => unknown;
  };
  const original = prototype.insertMany;
  let seen = 0;
  prototype.insertMany = function (this: { readonly collectionName: string }, ...args: unknown[]) {
    if (!names.includes(this.collectionName)) return original.apply(this, args);
    seen += 1;
    return seen < nth ? original.apply(this, args) : Promise.reject(new Error('the process is gone'));
  };
  return () => {
    prototype.insertMany = original;
  };
};

describe('a change with a platform event', () => {
  it.each([
    [1, 'before its message is kept'],
    [2, 'between message and deliveries'],
  ])('is sent once by the sweep after a crash at insert %d (%s)', async (nth) => {
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    await changed();
    const restore = failingInserts(['messages', 'webhook_deliveries'], nth);
    expect(await outboxOf().sweep()).toEqual({ performed: 0, failed: 1 });
    restore();
    await service.deliver();
    expect(receiver.received).toEqual([]);
    expect(await outboxOf().sweep()).toEqual({ performed: 1, failed: 0 });
    await service.deliver();
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(['msg_01JQ0000000000000000000042']);
    expect(await service.deliveriesOf(webhook_id)).toHaveLength(1);
  });

  it('is sent once after a crash before the removal of the effect', async () => {
    await service.subscribe(TENANT, receiver.url);
    await changed();
    const [document] = await service.database.db.collection('things').find().toArray();
    await outboxOf().sweep();
    await service.deliver();
    const things = service.database.db.collection('things');
    await things.updateOne({}, { $set: { pending: document?.['pending'] as never } });
    expect(await outboxOf().sweep()).toEqual({ performed: 1, failed: 0 });
    expect(await service.deliver()).toBe(0);
    expect(receiver.received).toHaveLength(1);
  });

  it('is sent by another process after the lease of a crashed one', async () => {
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    await changed();
    await outboxOf().sweep();
    // Claimed by a process that is no more: held until the lease ends.
    await service.rows.updateOne(
      { webhook_id },
      {
        $set: {
          lease_until: new Date(service.clock.nowMs() + 30_000),
          lease_token: 'of.the.dead',
          lease_owner: 'the dead',
        },
        $unset: { next_attempt_at: '' },
        $inc: { claims: 1 },
      },
    );
    expect(await service.deliver()).toBe(0);
    service.clock.advance(30_001);
    expect(await service.deliver()).toBe(1);
    expect(receiver.received).toHaveLength(1);
    expect(await service.deliveriesOf(webhook_id)).toMatchObject([{ status: 'DELIVERED', attempt: 1 }]);
  });

  it('is stored for paused webhooks and can be recovered', async () => {
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    await answered(service.as(TENANT).update(webhook_id, { status: 'PAUSED' }));
    await changed();
    await outboxOf().sweep();
    await answered(service.as(TENANT).update(webhook_id, { status: 'ACTIVE' }));
    expect(await service.deliver()).toBe(0);
    const span = { since: '2026-03-02T00:00:00Z', until: '2026-03-03T00:00:00Z' };
    expect(await answered(service.as(TENANT).recover(webhook_id, span))).toMatchObject({ count: 1 });
    await service.deliver();
    expect(receiver.received).toHaveLength(1);
  });
});

describe('a webhook with throttle_per_second', () => {
  it('receives at most that many deliveries a second', async () => {
    const { webhook_id } = await service.subscribe(TENANT, receiver.url, { throttle_per_second: 2 });
    const items = Array.from({ length: 6 }, (_, n) => ({
      message_id: `msg_01JQ${String(n).padStart(22, '0')}`,
      type: 'legal-hold.created',
      at: '2026-03-02T14:11:10.000Z',
      data: { hold_id: 'hld_01JQ0000000000000000000001', at: '2026-03-02T14:11:10.000Z' },
    }));
    await service.publish(TENANT, items);
    const sent: number[] = [];
    for (let half = 0; half < 12; half++) {
      sent.push(await service.deliver());
      service.clock.advance(500);
    }
    const inEachSecond = sent.map((count, half) => count + (sent[half + 1] ?? 0));
    expect(Math.max(...inEachSecond)).toBeLessThanOrEqual(2);
    expect(sent.reduce((sum, count) => sum + count, 0)).toBe(6);
    expect(await service.deliveriesOf(webhook_id)).toHaveLength(6);
  });
});
