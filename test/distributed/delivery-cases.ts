import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { envelope } from '../support/envelopes.js';
import { freshTenant, Http } from '../support/http.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { TEST_OPERATOR_KEY } from '../support/service-process.js';
import type { Deployment } from './deployment.js';

// Admin and ledger run in separate processes, and two workers deliver: events cross all of them. One deployment serves all
// cases (processes.test.ts), because its processes cost more than the cases.

const MINUTES = 60_000;
const EVENTS = 60;
/** Settings that allow a receiver on loopback. */
export const OPEN_LOOPBACK = { SERVICE_WEBHOOK_ALLOW_HTTP: 'true', SERVICE_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };

let receiver: Receiver;
let http: Http;

/** A round is one SIGKILL; some twelve of them take a minute. */
const ROUNDS = Number(process.env['WEBHOOK_CRASH_ROUNDS'] ?? 1);
const EVENTS_A_ROUND = 40;
/** So that workers die with deliveries under way. */
const ANSWER_AFTER_MS = 150;

const eventIds = (): string[] =>
  receiver.received.map(({ body }) => (JSON.parse(body.toString()) as { data: { event_id: string } }).data.event_id);

/** @param deployed asked when the cases run: a deployment with OPEN_LOOPBACK. */
export function deliveryCases(deployed: () => Deployment): void {
  beforeAll(async () => {
    receiver = await startReceiver();
    const operator = new Http(deployed().urls['facade-1'], TEST_OPERATOR_KEY);
    http = (await freshTenant(operator, ['events:read', 'events:write'])).http;
  }, MINUTES);

  afterAll(() => receiver?.close());

  it(
    'delivers every acknowledged event, although ledger, admin and a worker are killed meanwhile',
    async () => {
      const webhook = await http.post('/v1/webhooks', { url: receiver.url, event_types: ['event.ingested'] });
      expect(webhook.status).toBe(200);
      const acknowledged: string[] = [];
      const post = async (n: number): Promise<void> => {
        // Repeats until the event is acknowledged: a repeat returns the id of the first event.
        for (;;) {
          const answer = await http.post('/v1/events', envelope(n)).catch(() => undefined);
          if (answer?.status === 200) return void acknowledged.push(answer.json.event_id);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      };
      const kills = ['worker-1', 'ledger', 'admin'] as const;
      for (let n = 0; n < EVENTS; n++) {
        await post(n);
        const victim = n % 20 === 10 ? kills[Math.floor(n / 20)] : undefined;
        if (victim) await deployed().killAndRestart(victim);
      }
      const endMs = performance.now() + 2 * MINUTES;
      while (new Set(eventIds()).size < EVENTS && performance.now() < endMs) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect([...new Set(eventIds())].sort()).toEqual([...new Set(acknowledged)].sort());
      // What came twice came under one id.
      const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
      expect(ids.size).toBe(EVENTS);
    },
    5 * MINUTES,
  );

  it(
    'delivers every row while its two workers are killed alternately, and repeats keep their id',
    async () => {
      receiver.answer = (response) => void setTimeout(() => response.writeHead(204).end(), ANSWER_AFTER_MS);
      const { webhook_id } = (
        await http.post('/v1/webhooks', { url: `${receiver.url}/killed`, event_types: ['event.ingested'] })
      ).json;
      const came = (): string[] =>
        receiver.received.flatMap(({ path, headers }) => (path === '/killed' ? [String(headers['webhook-id'])] : []));
      const log = async (status: string): Promise<{ readonly message_id: string }[]> =>
        (await http.get(`/v1/webhooks/${webhook_id}/deliveries?limit=500&status=${status}`)).json.items;
      let made = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const events = Array.from({ length: EVENTS_A_ROUND }, (_, n) => envelope(1_000 + made + n));
        expect((await http.post('/v1/events', events)).json.accepted).toBe(EVENTS_A_ROUND);
        made += EVENTS_A_ROUND;
        while (came().length < made - EVENTS_A_ROUND / 2) await new Promise((resolve) => setTimeout(resolve, 10));
        await deployed().killAndRestart(round % 2 === 0 ? 'worker-1' : 'worker-2');
      }
      const endMs = performance.now() + 2 * MINUTES;
      while ((await log('DELIVERED')).length < made && performance.now() < endMs) {
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
      const delivered = (await log('DELIVERED')).map(({ message_id }) => message_id);
      expect(delivered.sort()).toEqual([...new Set(came())].sort());
      expect(delivered).toHaveLength(made);
      for (const status of ['PENDING', 'RETRY_SCHEDULED', 'FAILED']) expect(await log(status)).toEqual([]);
      console.info(`${ROUNDS} kills, ${made} deliveries, ${came().length - made} sent again`);
    },
    10 * MINUTES,
  );
}
