import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../../support/database.js';
import { answered, subscriptionsOver } from './subscriptions-kit.js';

// Secrets of subscriptions: shown once, wrapped at rest, rotated with an overlap of 15 minutes.

let server: TestServer;
let kit: Awaited<ReturnType<typeof subscriptionsOver>>;
beforeAll(async () => {
  server = await startTestServer();
  kit = await subscriptionsOver(server, 'webhook-secrets');
});
afterAll(() => server.stop());

let tenants = 0;
const fresh = () => {
  tenants += 1;
  const tenantId = `tenant-${tenants}`;
  return { tenantId, http: kit.as(tenantId) };
};
const document = (id: string) =>
  kit.database.db.collection<{ _id: string; [member: string]: unknown }>('webhooks').findOne({ _id: id });
const typesOf = (tenantId: string) => kit.systemLedger.typesOf(tenantId);
const MINUTE_MS = 60_000;

describe('the secret', () => {
  it('is whsec_ and the base64 of 32 bytes, returned only by creation and rotation', async () => {
    const { http } = fresh();
    const made = await answered(http.create());
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const rotated = await answered(http.rotate(made.webhook_id));
    expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rotated.secret).not.toBe(made.secret);
    const { data } = await http.get(made.webhook_id);
    expect(JSON.stringify(data)).not.toContain('whsec_');
  });

  it('is not in the database, neither as text nor as bytes', async () => {
    const { http } = fresh();
    const { secret, webhook_id } = await answered(http.create());
    await answered(http.rotate(webhook_id));
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const collections = await kit.database.db.listCollections().toArray();
    expect(collections.map(({ name }) => name)).toContain('webhooks');
    for (const { name } of collections) {
      const dump = JSON.stringify(await kit.database.db.collection(name).find({}).toArray());
      for (const form of [secret, secret.slice(6, 40), key.toString('hex')]) expect(dump).not.toContain(form);
    }
    expect(kit.logLines.join('\n')).not.toContain(secret);
  });

  it('can be unwrapped only for its own webhook', async () => {
    const { http } = fresh();
    const [one, other] = [await answered(http.create()), await answered(http.create())];
    const wrapped = (await document(other.webhook_id))?.['wrapped_secret'];
    await kit.database.db
      .collection<{ _id: string }>('webhooks')
      .updateOne({ _id: one.webhook_id }, { $set: { wrapped_secret: wrapped } });
    await expect(kit.directory.signing(one.webhook_id)).rejects.toThrow();
  });

  it('signs for exactly 15 minutes after its replacement', async () => {
    const { http } = fresh();
    const made = await answered(http.create());
    const rotated = await answered(http.rotate(made.webhook_id));
    const untilMs = kit.clock.nowMs() + 15 * MINUTE_MS;
    expect(rotated.previous_secret_expires_at).toBe(new Date(untilMs).toISOString());
    const signing = await kit.directory.signing(made.webhook_id);
    expect(signing).toMatchObject({
      secret: rotated.secret,
      previous: [{ secret: made.secret, until: new Date(untilMs) }],
    });
    kit.clock.advance(15 * MINUTE_MS - 1);
    expect((await answered(http.get(made.webhook_id))).previous_secret_expires_at).not.toBeNull();
    kit.clock.advance(1);
    expect((await answered(http.get(made.webhook_id))).previous_secret_expires_at).toBeNull();
  });

  it('can be rotated three times in 15 minutes; expired ones are erased', async () => {
    const { http } = fresh();
    const { webhook_id } = await answered(http.create());
    for (let n = 0; n < 3; n++) {
      await answered(http.rotate(webhook_id));
      kit.clock.advance(MINUTE_MS);
    }
    expect((await http.rotate(webhook_id)).code).toBe('CONFLICT');
    expect((await kit.directory.signing(webhook_id))?.previous).toHaveLength(3);
    kit.clock.advance(12 * MINUTE_MS);
    await answered(http.rotate(webhook_id));
    expect((await document(webhook_id))?.['former_secrets']).toHaveLength(3);
    kit.clock.advance(13 * MINUTE_MS);
    await kit.webhooks.eraseFormerSecrets(kit.now());
    expect((await document(webhook_id))?.['former_secrets']).toHaveLength(1);
    kit.clock.advance(2 * MINUTE_MS);
    await kit.webhooks.eraseFormerSecrets(kit.now());
    expect((await document(webhook_id))?.['former_secrets']).toEqual([]);
  });
});

describe('a request repeated after a lost answer', () => {
  const WORK = 'wrk_01JQ0000000000000000000001';

  it('creates one webhook with one secret', async () => {
    const { tenantId } = fresh();
    const [first, second] = [
      await answered(kit.as(tenantId, WORK).create()),
      await answered(kit.as(tenantId, WORK).create()),
    ];
    expect(second).toEqual(first);
    expect(typesOf(tenantId)).toEqual(['webhook.created']);
  });

  it('rotates once', async () => {
    const { tenantId, http } = fresh();
    const { webhook_id } = await answered(http.create());
    const [first, second] = [
      await answered(kit.as(tenantId, WORK).rotate(webhook_id)),
      await answered(kit.as(tenantId, WORK).rotate(webhook_id)),
    ];
    expect(second.secret).toBe(first.secret);
    expect(typesOf(tenantId)).toEqual(['webhook.created', 'webhook.secret-rotated']);
  });

  it('sends one test and repeats one message once', async () => {
    const { tenantId, http } = fresh();
    const { webhook_id } = await answered(http.create());
    const again = kit.as(tenantId, WORK);
    const [first, second] = [await answered(again.test(webhook_id)), await answered(again.test(webhook_id))];
    expect(second.delivery_id).toBe(first.delivery_id);
    const sent = [
      await answered(again.redeliver(webhook_id, first.delivery_id)),
      await answered(again.redeliver(webhook_id, first.delivery_id)),
    ];
    expect(sent[1].delivery_id).toBe(sent[0].delivery_id);
    expect((await answered(http.deliveries(webhook_id))).items).toHaveLength(2);
    expect(typesOf(tenantId)).toEqual(['webhook.created', 'webhook.tested', 'webhook.redelivered']);
  });
});
