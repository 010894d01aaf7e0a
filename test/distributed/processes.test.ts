import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freshTenant, Http } from '../support/http.js';
import { TEST_OPERATOR_KEY } from '../support/service-process.js';
import { type Deployment, MEMBERS, type Member, startDeployment } from './deployment.js';
import { type Ack, FailoverClient } from './failover-client.js';

// Every role as a process on loopback, one embedded database below them. Clients' own lists of answers are the oracle.

/** How often each process is killed; `npm run test:long` raises it. */
const ROUNDS = Number(process.env['DISTRIBUTED_ROUNDS'] ?? 1);
const LANES = 4;
const SOURCES = ['um-core', 'claims'];
const MINUTES = 60_000;

let deployment: Deployment;
let facades: readonly string[];
let http: Http;

beforeAll(async () => {
  deployment = await startDeployment();
  facades = [deployment.urls['facade-1'], deployment.urls['facade-2']];
  const made = await freshTenant(new Http(facades[0] ?? '', TEST_OPERATOR_KEY), [
    'events:read',
    'events:write',
    'graph:query',
  ]);
  http = made.http;
}, 10 * MINUTES);

afterAll(() => deployment?.stop(), MINUTES);

/** Two clients that post, each on some lanes, until they are told to stop. */
function load(name: string, patient: boolean) {
  const clients = SOURCES.map(() => new FailoverClient(facades, http.key ?? '', LANES));
  let stopped = false;
  const lanes = clients.flatMap((client, c) =>
    Array.from({ length: LANES }, async (_, lane) => {
      const source = SOURCES[c] ?? 'um-core';
      for (let n = 0; !stopped; n++) {
        const event = `${name}-${c}-${lane}-${n}`;
        if (patient) await client.postUntilAcknowledged(event, source, () => stopped);
        else await client.post(event, source);
      }
    }),
  );
  const acknowledged = (): Ack[] => clients.flatMap((client) => client.acknowledged);
  return {
    acknowledged,
    losses: () => clients.flatMap((client) => client.losses),
    /** Resolves when this many more events have been acknowledged: the service serves. */
    served: async (more: number): Promise<void> => {
      const from = acknowledged().length;
      while (acknowledged().length < from + more) await new Promise((resolve) => setTimeout(resolve, 10));
    },
    stop: async (): Promise<void> => {
      stopped = true;
      await Promise.all(lanes);
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

/** Every acknowledged event is where its answer said, and every chain is whole. */
async function expectKept(acknowledged: readonly Ack[]): Promise<void> {
  const verdict = (await http.get('/v1/ledger/verify')).json as { valid: boolean; breaks: unknown[] };
  expect(verdict).toMatchObject({ valid: true, breaks: [] });
  const kept = new Map<string, Ack>();
  for (const source of SOURCES) {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = (await http.get(`/v1/events?source_system=${source}&limit=500${more}`)).json;
      for (const event of page.items as Ack[]) kept.set(event.event_id, event);
      cursor = page.next_cursor as string | null;
    }
  }
  const missing = acknowledged.filter((ack) => {
    const event = kept.get(ack.event_id);
    return event?.sequence !== ack.sequence || event.entry_hash !== ack.entry_hash;
  });
  expect(missing).toEqual([]);
}

describe('a deployment of processes', () => {
  test('serves each role at its own address', async () => {
    const gateway = new Http(deployment.urls.gateway, http.key);
    expect((await gateway.get('/v1/events')).status).toBe(404);
    const query = '{ ledgerPartitions { items { source_system } } }';
    expect((await gateway.post('/graphql', { query })).status).toBe(200);
    for (const member of Object.keys(MEMBERS) as Member[]) {
      const ready = await new Http(deployment.urls[member], null).get('/v1/healthz/ready');
      expect([member, ready.status]).toEqual([member, 200]);
      expect((await fetch(`${deployment.urls[member]}/metrics`)).status).toBe(200);
    }
    for (const member of ['admin', 'ledger'] as const) {
      const open = await new Http(deployment.urls[member], http.key).post('/graphql', { query: '{ __typename }' });
      expect([open.status, open.json.code]).toEqual([401, 'UNAUTHENTICATED']);
    }
  });

  test(
    'loses no request while two facades behind one address list are restarted in turn',
    async () => {
      const running = load('rolling', false);
      await running.served(50);
      for (const member of ['facade-1', 'facade-2'] as const) {
        expect(await deployment.terminate(member)).toBe(0);
        await running.served(20);
        await deployment.start(member);
        await running.served(50);
      }
      await running.stop();
      expect(running.losses()).toEqual([]);
      await expectKept(running.acknowledged());
    },
    10 * MINUTES,
  );

  test(
    `keeps what it acknowledged and serves again by itself, each process killed ${ROUNDS}×`,
    async () => {
      const running = load('killed', true);
      await running.served(20);
      for (let round = 0; round < ROUNDS; round++) {
        for (const member of Object.keys(MEMBERS) as Member[]) {
          await deployment.killAndRestart(member);
          await running.served(20);
        }
      }
      await running.stop();
      await expectKept(running.acknowledged());
    },
    (5 + 10 * ROUNDS) * MINUTES,
  );
});
