import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../../support/database.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { type Deliveries, deliveriesOver, sealed } from './delivery-kit.js';
import { answered } from './subscriptions-kit.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
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
  service = await deliveriesOver(server, `subscription${databases}`);
  receiver = await startReceiver();
});
afterEach(async () => {
  await service.admin.close();
  await receiver.close();
});

const failing = (status: number, headers: Record<string, string> = {}): void => {
  receiver.answer = (response) => void response.writeHead(status, headers).end();
};

/** The stored row of one delivery of one subscription. */
const standing = async (webhookId: string) => {
  const [row, ...others] = await service.deliveriesOf(webhookId);
  expect(others).toEqual([]);
  if (!row) throw new Error('there is no delivery');
  return row;
};

describe('a webhook', () => {
  it('is suspended with an exception when its receiver answers 410; other deliveries wait', async () => {
    failing(410);
    const { webhook_id } = await service.subscribe(TENANT, receiver.url, { max_in_flight: 1 });
    await service.publish(TENANT, [sealed(1), sealed(2)]);
    await service.deliver();
    expect(await answered(service.as(TENANT).get(webhook_id))).toMatchObject({
      status: 'SUSPENDED',
      suspension_reason: 'GONE',
    });
    expect(service.exceptions.opened).toMatchObject([{ kind: 'WEBHOOK_SUSPENDED', subject: { webhook_id } }]);
    const statuses = (await service.deliveriesOf(webhook_id)).map(({ status }) => status);
    expect(statuses.sort()).toEqual(['FAILED', 'PENDING']);
    failing(200);
    await answered(service.as(TENANT).update(webhook_id, { status: 'ACTIVE' }));
    await service.deliver();
    expect((await service.deliveriesOf(webhook_id)).map(({ status }) => status).sort()).toEqual([
      'DELIVERED',
      'FAILED',
    ]);
  });

  it('is suspended with an exception after exactly five days of failures', async () => {
    failing(500);
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    const status = async () => (await answered(service.as(TENANT).get(webhook_id))).status as string;
    await service.publish(TENANT, [sealed(1)]);
    await service.deliver();
    service.clock.advance(5 * DAY_MS - 1);
    await service.publish(TENANT, [sealed(2)]);
    await service.deliver();
    expect(await status()).toBe('ACTIVE');
    expect(service.exceptions.opened).toMatchObject([{ kind: 'WEBHOOK_FAILING' }]);
    service.clock.advance(1);
    await service.publish(TENANT, [sealed(3)]);
    await service.deliver();
    expect(await status()).toBe('SUSPENDED');
    expect(service.exceptions.opened.map(({ kind }) => kind)).toEqual(['WEBHOOK_FAILING', 'WEBHOOK_SUSPENDED']);
    expect(service.exceptions.resolved).toMatchObject([{ kind: 'WEBHOOK_FAILING', subject: { webhook_id } }]);
  });

  it('receives nothing while paused, and its waiting deliveries when enabled', async () => {
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    await service.publish(TENANT, [sealed(1)]);
    await answered(service.as(TENANT).update(webhook_id, { status: 'PAUSED' }));
    await service.deliver();
    expect(receiver.received).toEqual([]);
    expect(await standing(webhook_id)).toMatchObject({ status: 'PENDING', attempt: 0 });
    await answered(service.as(TENANT).update(webhook_id, { status: 'ACTIVE' }));
    await service.deliver();
    expect(receiver.received).toHaveLength(1);
  });

  it('gets postponed deliveries due again by the sweep when enabled; retries keep their time', async () => {
    failing(500);
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    await service.publish(TENANT, [sealed(1)]);
    await answered(service.as(TENANT).update(webhook_id, { status: 'PAUSED' }));
    await service.deliver();
    await answered(service.as(TENANT).update(webhook_id, { status: 'ACTIVE' }));
    // As by a process that had read PAUSED, or after a crash of the one that enabled it.
    const next_attempt_at = new Date(service.clock.nowMs() + HOUR_MS);
    await service.rows.updateOne({ webhook_id }, { $set: { next_attempt_at } });
    await service.publish(TENANT, [sealed(2)]);
    expect(await service.deliver()).toBe(1);
    await service.admin.background().stop();
    expect(await service.deliver()).toBe(1);
    expect(await service.deliver()).toBe(0);
    for (const row of await service.deliveriesOf(webhook_id)) {
      expect(row.status).toBe('RETRY_SCHEDULED');
      expect(row.next_attempt_at?.getTime()).toBeGreaterThanOrEqual(service.clock.nowMs() + 30 * SECOND_MS);
    }
  });

  it('receives deliveries at once when another process enables it', async () => {
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    const webhooks = service.database.db.collection<{ _id: string }>('webhooks');
    await service.publish(TENANT, [sealed(1)]);
    await webhooks.updateOne({ _id: webhook_id }, { $set: { status: 'PAUSED' } });
    await service.deliver();
    expect(receiver.received).toEqual([]);
    await webhooks.updateOne({ _id: webhook_id }, { $set: { status: 'ACTIVE' } });
    await service.rows.updateOne({ webhook_id }, { $set: { next_attempt_at: new Date(service.clock.nowMs()) } });
    await service.deliver();
    expect(receiver.received).toHaveLength(1);
  });

  it('gets one warning after half of the five days, which a success resolves', async () => {
    failing(500);
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    const failingSince = new Date(service.clock.nowMs());
    const attempt = async (n: number) => {
      await service.publish(TENANT, [sealed(n)]);
      await service.deliver();
    };
    await attempt(1);
    service.clock.advance(2.5 * DAY_MS - 1);
    await attempt(2);
    expect(service.exceptions.opened).toEqual([]);
    service.clock.advance(1);
    await attempt(3);
    service.clock.advance(HOUR_MS);
    await attempt(4);
    const subject = { webhook_id };
    const suspended_at = new Date(failingSince.getTime() + 5 * DAY_MS).toISOString();
    expect(service.exceptions.opened).toMatchObject([
      { kind: 'WEBHOOK_FAILING', subject, detail: { failing_since: failingSince.toISOString(), suspended_at } },
    ]);
    expect(service.exceptions.resolved).toEqual([]);
    failing(200);
    await attempt(5);
    service.clock.advance(SECOND_MS);
    await attempt(6);
    expect(service.exceptions.resolved).toMatchObject([{ kind: 'WEBHOOK_FAILING', subject }]);
  });

  it('has its waiting deliveries and retries cancelled when deleted', async () => {
    failing(500);
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    await service.publish(TENANT, [sealed(1)]);
    await service.deliver();
    await service.publish(TENANT, [sealed(2)]);
    await answered(service.as(TENANT).remove(webhook_id));
    service.clock.advance(DAY_MS);
    expect(await service.deliver()).toBe(0);
    expect((await service.deliveriesOf(webhook_id)).map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED']);
    expect(receiver.received).toHaveLength(1);
  });

  it('signs with both secrets for 15 minutes after a rotation, then with the new one only', async () => {
    const { webhook_id, secret: old } = await service.subscribe(TENANT, receiver.url);
    const { secret } = await answered(service.as(TENANT).rotate(webhook_id));
    const signed = async (n: number) => {
      await service.publish(TENANT, [sealed(n)]);
      await service.deliver();
      const last = receiver.received.at(-1);
      if (!last) throw new Error('nothing came');
      const { headers, body } = last;
      const by = (key: string) => `v1=${createHmac('sha256', key).update(body).digest('hex')}`;
      return {
        fresh: headers['x-service-signature'] === by(secret),
        former: headers['x-service-signature-previous'] === by(old),
        count: String(headers['webhook-signature']).split(' ').length,
      };
    };
    expect(await signed(1)).toEqual({ fresh: true, former: true, count: 2 });
    service.clock.advance(15 * MINUTE_MS - 1);
    expect(await signed(2)).toEqual({ fresh: true, former: true, count: 2 });
    service.clock.advance(1);
    expect(await signed(3)).toEqual({ fresh: true, former: false, count: 1 });
  });
});

describe('a test delivery', () => {
  it('has one attempt and does not affect the health', async () => {
    failing(500);
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    await answered(service.as(TENANT).test(webhook_id, { event_type: 'bundle.sealed' }));
    await service.deliver();
    expect(await standing(webhook_id)).toMatchObject({ status: 'FAILED', trigger: 'TEST', attempt: 1 });
    expect(JSON.parse(String(receiver.received[0]?.body))).toMatchObject({ type: 'bundle.sealed', test: true });
    expect((await answered(service.as(TENANT).get(webhook_id))).health.consecutive_failures).toBe(0);
  });
});
