import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookError, type WebhookHeaders } from '../../client/index.js';
import { freshTenant } from '../support/http.js';
import { type Received, type Receiver, startReceiver } from '../support/receiver.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32).toString('base64')}`;
const SIGNED_AT_SECONDS = 1_780_000_000;
const BODY = JSON.stringify({ id: 'msg_1', type: 'bundle.sealed', tenant_id: 't', created_at: 'x', data: {} });

/** Signed by the library of the convention, not by our own code. */
const HEADERS = {
  'Webhook-Id': 'msg_1',
  'webhook-timestamp': String(SIGNED_AT_SECONDS),
  'webhook-signature': `v1,AAAA ${new Webhook(SECRET).sign('msg_1', new Date(SIGNED_AT_SECONDS * 1_000), BODY)}`,
};
const genuine = { secret: SECRET, headers: HEADERS as WebhookHeaders, body: BODY, nowSeconds: SIGNED_AT_SECONDS };

describe('verifyWebhook', () => {
  it.each([
    ['a genuine delivery', {}],
    ['bytes', { body: Buffer.from(BODY) }],
    ['a Headers object', { headers: new Headers(HEADERS) }],
    ['one of two secrets', { secret: [OTHER_SECRET, SECRET] }],
    ['a delivery that is just fresh', { nowSeconds: SIGNED_AT_SECONDS + 300 }],
  ])('returns the body of %s', (_, given) => {
    expect(verifyWebhook({ ...genuine, ...given })).toMatchObject({ id: 'msg_1', type: 'bundle.sealed' });
  });

  it.each([
    ['SIGNATURE', 'another secret', { secret: OTHER_SECRET }],
    ['SIGNATURE', 'another body', { body: `${BODY} ` }],
    ['SIGNATURE', 'another id', { headers: { ...HEADERS, 'Webhook-Id': 'msg_2' } }],
    ['SIGNATURE', 'another time', { headers: { ...HEADERS, 'webhook-timestamp': String(SIGNED_AT_SECONDS + 1) } }],
    [
      'SIGNATURE',
      'another version',
      { headers: { ...HEADERS, 'webhook-signature': HEADERS['webhook-signature'].replaceAll('v1,', 'v2,') } },
    ],
    ['SECRET', 'a secret that is missing', { secret: '' }],
    ['SECRET', 'a secret that is cut', { secret: SECRET.slice(0, 12) }],
    ['SECRET', 'a missing secret among two', { secret: [SECRET, ''] }],
    ['STALE', 'a delivery of five minutes ago', { nowSeconds: SIGNED_AT_SECONDS + 301 }],
    ['STALE', 'a delivery from the future', { nowSeconds: SIGNED_AT_SECONDS - 301 }],
    ['HEADERS', 'a time that is no number', { headers: { ...HEADERS, 'webhook-timestamp': 'NaN' } }],
    ['HEADERS', 'no signature', { headers: { ...HEADERS, 'webhook-signature': '' } }],
  ])('throws %s for %s', (reason, _, given) => {
    const thrown = (() => {
      try {
        return verifyWebhook({ ...genuine, ...given });
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(WebhookError);
    expect(thrown).toMatchObject({ reason });
  });
});

describe('a delivery of the service', () => {
  let service: WholeService;
  let receiver: Receiver;
  let secrets: readonly string[];
  let delivery: Received;
  beforeAll(async () => {
    receiver = await startReceiver();
    service = await startWholeService({
      SERVICE_WEBHOOK_ALLOW_HTTP: 'true',
      SERVICE_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    });
    const { http } = await freshTenant(service.operator);
    const made = (await http.post('/v1/webhooks', { url: receiver.url, event_types: ['bundle.sealed'] })).json;
    const rotated = (await http.post(`/v1/webhooks/${made.webhook_id}/rotate-secret`, undefined)).json;
    secrets = [made.secret, rotated.secret];
    await http.post(`/v1/webhooks/${made.webhook_id}/test`, {});
    const [first] = await receiver.until(1);
    if (first === undefined) throw new Error('no delivery came');
    delivery = first;
  });
  afterAll(async () => {
    await service.stop();
    await receiver.close();
  });

  it('is verified by the new secret, and by the former one after a rotation', () => {
    const { headers, body } = delivery;
    const nowSeconds = Number(headers['webhook-timestamp']);
    for (const secret of secrets) {
      expect(verifyWebhook({ secret, headers, body, nowSeconds })).toMatchObject({ type: 'bundle.sealed' });
    }
  });
});
