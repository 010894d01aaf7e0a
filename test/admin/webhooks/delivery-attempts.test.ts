import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../../support/database.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { selfSigned } from '../../support/self-signed.js';
import { type Deliveries, deliveriesOver, messageIdAt, sealed } from './delivery-kit.js';
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
  service = await deliveriesOver(server, `attempts${databases}`);
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

describe('a delivery after a rotation', () => {
  const bySecret = (secret: string, body: Buffer) => `v1=${createHmac('sha256', secret).update(body).digest('hex')}`;

  it('is sent once more with the former secret if the receiver answers 4xx, and counts as one attempt', async () => {
    const { webhook_id, secret } = await service.subscribe(TENANT, receiver.url);
    const rotated = await answered(service.as(TENANT).rotate(webhook_id));
    receiver.answer = (response, { headers, body }) =>
      void response.writeHead(headers['x-service-signature'] === bySecret(secret, body) ? 200 : 401).end();
    await service.publish(TENANT, [sealed(1)]);
    await service.deliver();
    const signatures = receiver.received.map(({ headers }) => headers['x-service-signature']);
    const { body } = receiver.received[0] ?? { body: Buffer.alloc(0) };
    expect(signatures).toEqual([bySecret(rotated.secret, body), bySecret(secret, body)]);
    expect(await standing(webhook_id)).toMatchObject({ status: 'DELIVERED', attempt: 1, attempts: [{ status: 200 }] });
  });

  it.each([
    ['the receiver answers 5xx', 500, 0, 1],
    ['both requests are rejected', 403, 0, 2],
    ['the 15 minutes are over', 403, 15 * MINUTE_MS, 1],
  ])('makes one failed attempt if %s', async (_what, status, laterMs, requests) => {
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    await answered(service.as(TENANT).rotate(webhook_id));
    service.clock.advance(laterMs);
    failing(status);
    await service.publish(TENANT, [sealed(1)]);
    await service.deliver();
    expect(receiver.received).toHaveLength(requests);
    expect(await standing(webhook_id)).toMatchObject({ status: 'RETRY_SCHEDULED', attempt: 1, attempts: [{ status }] });
  });
});

describe('the delivery of a message', () => {
  it('sends the stored bytes once, with the headers that a receiver verifies', async () => {
    const { webhook_id, secret } = await service.subscribe(TENANT, `${receiver.url}/hook?a=1`);
    await service.publish(TENANT, [sealed(1)]);
    expect(await service.deliver()).toBe(1);
    const [request] = receiver.received;
    if (!request) throw new Error('nothing came');
    const { headers, body, path } = request;
    expect(path).toBe('/hook?a=1');
    expect(JSON.parse(body.toString())).toEqual({
      id: messageIdAt(1),
      type: 'legal-hold.created',
      tenant_id: TENANT,
      created_at: '2026-03-02T14:11:10.000Z',
      data: sealed(1).data,
    });
    const seconds = String(Math.floor(service.clock.nowMs() / 1_000));
    const standard = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
      .update(`${messageIdAt(1)}.${seconds}.`)
      .update(body)
      .digest('base64');
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-service-webhook-id': webhook_id,
      'x-service-signature': `v1=${createHmac('sha256', secret).update(body).digest('hex')}`,
      'x-service-event': 'legal-hold.created',
      'x-service-attempt': '1',
      'webhook-id': messageIdAt(1),
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${standard}`,
    });
    expect(headers).not.toHaveProperty('x-service-signature-previous');
    expect(await standing(webhook_id)).toMatchObject({
      status: 'DELIVERED',
      attempt: 1,
      attempts: [{ status: 200, duration_ms: expect.any(Number) }],
    });
    expect(await service.deliver()).toBe(0);
  });

  it('happens once for repeated and concurrent publications', async () => {
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    await Promise.all([service.publish(TENANT, [sealed(1), sealed(2)]), service.publish(TENANT, [sealed(2)])]);
    await service.deliver();
    await service.publish(TENANT, [sealed(1), sealed(2)]);
    expect(await service.deliver()).toBe(0);
    expect(receiver.received).toHaveLength(2);
    expect(await service.deliveriesOf(webhook_id)).toHaveLength(2);
  });

  it('goes to every ACTIVE webhook of its tenant with its kind, and to no other', async () => {
    const wanting = await service.subscribe(TENANT, `${receiver.url}/a`, { event_types: ['legal-hold.*'] });
    const every = await service.subscribe(TENANT, `${receiver.url}/b`);
    await service.subscribe(TENANT, `${receiver.url}/c`, { event_types: ['bundle.*', 'event.ingested'] });
    await service.subscribe('other', `${receiver.url}/d`);
    const paused = await service.subscribe(TENANT, `${receiver.url}/e`);
    await answered(service.as(TENANT).update(paused.webhook_id, { status: 'PAUSED' }));
    await service.publish(TENANT, [sealed(1)]);
    await service.deliver();
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/a', '/b']);
    for (const { webhook_id } of [wanting, every]) expect(await standing(webhook_id)).toMatchObject({ attempt: 1 });
    expect(await service.deliveriesOf(paused.webhook_id)).toEqual([]);
  });

  it.each([
    ['of no kind of the catalogue', { ...sealed(1), type: 'event.imagined' }],
    ['without what its kind holds', { ...sealed(1), data: { hold_id: 'hld_1' } }],
    ['with more than its kind holds', { ...sealed(1), data: { ...sealed(1).data, member_id: 'M-1' } }],
    ['with a member of another form', { ...sealed(1), data: { ...sealed(1).data, at: 'yesterday' } }],
    ['without an id of ours', { ...sealed(1), message_id: 'msg_1' }],
    ['without a time', { ...sealed(1), at: 'now' }],
  ])('rejects %s', async (_, message) => {
    await expect(service.publish(TENANT, [message])).rejects.toMatchObject({ code: 'INTERNAL' });
  });
});

describe('a failing receiver', () => {
  it('gets six attempts, after exactly 30 s, 1 m, 5 m, 30 m and 2 h; the sixth failure is FAILED', async () => {
    failing(500);
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    await service.publish(TENANT, [sealed(1)]);
    const waits = [30 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS];
    expect(await service.deliver()).toBe(1);
    for (const [index, waitMs] of waits.entries()) {
      const row = await standing(webhook_id);
      expect(row).toMatchObject({ status: 'RETRY_SCHEDULED', attempt: index + 1 });
      expect(row.next_attempt_at?.getTime()).toBe(service.clock.nowMs() + waitMs);
      service.clock.advance(waitMs - 1);
      expect(await service.deliver()).toBe(0);
      service.clock.advance(1);
      expect(await service.deliver()).toBe(1);
    }
    const failed = await standing(webhook_id);
    expect(failed).toMatchObject({ status: 'FAILED', attempt: 6 });
    expect(failed).not.toHaveProperty('next_attempt_at');
    expect(failed.attempts.map(({ status, error }) => [status, error])).toEqual(Array(6).fill([500, 'status']));
    service.clock.advance(DAY_MS);
    expect(await service.deliver()).toBe(0);
    // The same bytes each time, with the number of the attempt in a header.
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1);
    expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
    ]);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-service-signature'])).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-signature'])).size).toBe(6);
  });

  it('gets the message after one failure, which ends its run of failures', async () => {
    failing(503);
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    await service.publish(TENANT, [sealed(1)]);
    await service.deliver();
    const health = async () => (await answered(service.as(TENANT).get(webhook_id))).health;
    expect(await health()).toMatchObject({ consecutive_failures: 1 });
    failing(204);
    service.clock.advance(30 * SECOND_MS);
    await service.deliver();
    expect(await standing(webhook_id)).toMatchObject({
      status: 'DELIVERED',
      attempts: [{ status: 503, error: 'status' }, { status: 204 }],
    });
    expect(await health()).toMatchObject({ consecutive_failures: 0, first_failure_at: null });
  });

  it.each([301, 302, 303, 307, 308, 400, 401, 404, 429, 500, 502])(
    'with %d is tried again, and not followed',
    async (status) => {
      failing(status, { location: `${receiver.url}/elsewhere` });
      const { webhook_id } = await service.subscribe(TENANT, `${receiver.url}/here`);
      await service.publish(TENANT, [sealed(1)]);
      await service.deliver();
      expect(await standing(webhook_id)).toMatchObject({ status: 'RETRY_SCHEDULED', attempts: [{ status }] });
      expect(receiver.received.map(({ path }) => path)).toEqual(['/here']);
    },
  );

  it.each<[string, string, Receiver['answer']]>([
    ['closes', 'closed', (response) => void response.socket?.destroy()],
    ['hangs for ten seconds', 'timeout', () => {}],
  ])('gets a retry after the status %s', async (_, error, answer) => {
    receiver.answer = answer;
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    await service.publish(TENANT, [sealed(1)]);
    await service.deliver();
    const row = await standing(webhook_id);
    expect(row).toMatchObject({ status: 'RETRY_SCHEDULED', attempts: [{ error }] });
    expect(row.attempts[0]).not.toHaveProperty('status');
  });

  it('with an answer of 100 MB counts by its status; little of the answer is read', async () => {
    let written = 0;
    receiver.answer = (response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = (): void => {
        while (!response.destroyed && written < 100 * 1024 * 1024) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      response.writeHead(200);
      more();
    };
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    await service.publish(TENANT, [sealed(1)]);
    await service.deliver();
    expect(await standing(webhook_id)).toMatchObject({ status: 'DELIVERED' });
    expect(written).toBeLessThan(20 * 1024 * 1024);
  });

  it('with an untrusted certificate gets a retry', async () => {
    const tls = await startReceiver({ ...selfSigned(['localhost']), host: 'localhost' });
    const { webhook_id } = await service.subscribe(TENANT, tls.url.replace('localhost', '127.0.0.1'));
    await service.publish(TENANT, [sealed(1)]);
    await service.deliver();
    expect(await standing(webhook_id)).toMatchObject({ status: 'RETRY_SCHEDULED', attempts: [{ error: 'tls' }] });
    expect(tls.received).toEqual([]);
    await tls.close();
  });

  it('at a forbidden address gets no connection', async () => {
    const shut = await deliveriesOver(server, `shut${databases}`, { env: {} });
    await shut.subscribe(TENANT, 'https://localhost/');
    const [webhook] = await shut.database.db.collection('webhooks').find().toArray();
    // As if the setting had been taken back after the registration.
    await shut.database.db.collection('webhooks').updateOne({}, { $set: { url: `${receiver.url}/` } });
    await shut.publish(TENANT, [sealed(1)]);
    await shut.deliver();
    const [row] = await shut.deliveriesOf(String(webhook?._id));
    expect(row).toMatchObject({ status: 'RETRY_SCHEDULED', attempts: [{ error: 'address_refused' }] });
    expect(receiver.connections()).toBe(0);
    await shut.admin.close();
  });
});

describe('Retry-After', () => {
  it.each([
    ['longer than the wait', '120', 120 * SECOND_MS],
    ['shorter than the wait', '5', 30 * SECOND_MS],
    ['longer than twelve hours', String(7 * 24 * 3600), 12 * HOUR_MS],
    ['no time at all', 'soon', 30 * SECOND_MS],
    ['as a date', 'Mon, 02 Mar 2026 15:11:10 GMT', HOUR_MS],
    ['as a date that is over', 'Mon, 02 Mar 2020 15:11:10 GMT', 30 * SECOND_MS],
  ])('%s', async (_, header, waitMs) => {
    failing(429, { 'retry-after': header });
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    await service.publish(TENANT, [sealed(1)]);
    await service.deliver();
    const next = (await standing(webhook_id)).next_attempt_at?.getTime() ?? 0;
    // The date is of whole seconds, the clock of the test is not.
    expect(Math.abs(next - service.clock.nowMs() - waitMs)).toBeLessThan(SECOND_MS);
  });
});

describe('a deleted message', () => {
  it('fails its delivery with the error message_gone', async () => {
    const { webhook_id } = await service.subscribe(TENANT, receiver.url);
    await service.publish(TENANT, [sealed(1)]);
    await service.database.db.collection('messages').deleteMany({});
    const other = await deliveriesOver(server, `attempts${databases}`, { clock: service.clock });
    await other.deliver();
    expect(await standing(webhook_id)).toMatchObject({ status: 'FAILED', attempts: [{ error: 'message_gone' }] });
    await other.admin.close();
  });
});
