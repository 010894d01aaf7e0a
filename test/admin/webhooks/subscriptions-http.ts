import { afterAll, beforeAll } from '@jest/globals';
import type { Answer, Http } from '../../support/http.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

const DEADLINE_MS = 150_000;

/** The whole service, and a receiver in this process that it may reach by its settings alone. */
export function serviceWithReceiver() {
  let service: WholeService;
  let receiver: Receiver;
  let paths = 0;
  beforeAll(async () => {
    receiver = await startReceiver();
    service = await startWholeService({
      SERVICE_WEBHOOK_ALLOW_HTTP: 'true',
      SERVICE_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    });
  });
  afterAll(async () => {
    await service.stop();
    await receiver.close();
  });
  return {
    service: () => service,
    receiver: () => receiver,
    /** A URL that no other webhook uses. */
    address: (): { readonly url: string; readonly requests: () => Receiver['received'] } => {
      paths += 1;
      const path = `/hook-${paths}`;
      return { url: receiver.url + path, requests: () => receiver.received.filter((one) => one.path === path) };
    },
  };
}

export async function until<T>(read: () => Promise<T> | T, isThere: (value: T) => boolean): Promise<T> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const value = await read();
    if (isThere(value)) return value;
    if (performance.now() > deadline) throw new Error(`waited in vain; last: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
export async function subscribed(http: Http, url: string, input: Record<string, unknown> = {}): Promise<any> {
  const answer = await http.post('/v1/webhooks', { url, event_types: ['legal-hold.created'], ...input });
  if (answer.status !== 200) throw new Error(`no webhook: ${answer.text}`);
  return answer.json;
}

export const patch = (http: Http, id: string, body: unknown): Promise<Answer> =>
  http.call(`/v1/webhooks/${id}`, { method: 'PATCH', body });

/** A delivery once it has been tried. */
export const delivered = (http: Http, webhook: string, delivery: string) =>
  until(
    async () => (await http.get(`/v1/webhooks/${webhook}/deliveries/${delivery}`)).json,
    ({ status }) => status !== 'PENDING',
  );

/** Of the tenant's administrative acts, oldest first. */
export const platformEntries = async (
  http: Http,
): Promise<{ event_type: string; payload: Record<string, unknown> }[]> =>
  (await http.get('/v1/events?source_system=_platform&order=asc&limit=500')).json.items;
