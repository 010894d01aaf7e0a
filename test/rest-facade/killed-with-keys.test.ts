import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { envelope } from '../support/envelopes.js';
import { type Answer, freshTenant, Http } from '../support/http.js';
import { seeded } from '../support/random.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../support/service-process.js';
import { keyed } from './edge-kit.js';

// SIGKILL at any moment, then the same requests under the same keys: each is done once, and answered as it would have been.

const ROUNDS = Number(process.env['KEYED_CRASH_ROUNDS'] ?? 1);
const SEED = Number(process.env['CRASH_SEED'] ?? 20260302);
const REQUESTS = 48;
const MAX_ALIVE_MS = 250;

let dataDir: string;
let service: ServiceProcess;

const start = () => startServiceProcess(dataDir, { SERVICE_RATE_LIMIT_PER_MINUTE: '0' });

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'eas-keyed-'));
  service = await start();
});
afterAll(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

interface Sent {
  readonly path: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly operator: boolean;
}

/** Events, API keys and tenants in turn. */
function requestsOf(round: number, tenantId: string): Sent[] {
  return Array.from({ length: REQUESTS }, (_, n): Sent => {
    const headers = keyed();
    if (n % 3 === 0) return { path: '/v1/events', body: envelope(`${round}-${n}`), headers, operator: false };
    if (n % 3 === 1) {
      const body = { tenant_id: tenantId, name: `key ${round}-${n}`, scopes: ['events:read'] };
      return { path: '/v1/api-keys', body, headers, operator: true };
    }
    return { path: '/v1/tenants', body: { tenant_id: `t-${round}-${n}`, name: 'One' }, headers, operator: true };
  });
}

/** Undefined where the service died on it. */
const send = (sent: Sent, key: string | null): Promise<Answer | undefined> =>
  new Http(service.url, sent.operator ? TEST_OPERATOR_KEY : key)
    .post(sent.path, sent.body, sent.headers)
    .catch(() => undefined);

describe('a service killed during requests with Idempotency-Keys', () => {
  it(
    `runs each of them once over ${ROUNDS} kills, and returns the expected answers`,
    async () => {
      const random = seeded(SEED);
      const { http, tenantId } = await freshTenant(new Http(service.url, TEST_OPERATOR_KEY));
      let cutOff = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const requests = requestsOf(round, tenantId);
        const first = requests.map((sent) => send(sent, http.key));
        await new Promise((resolve) => setTimeout(resolve, random() * MAX_ALIVE_MS));
        await service.kill();
        const before = await Promise.all(first);
        cutOff += before.filter((answer) => answer === undefined).length;
        service = await start();
        const after = await Promise.all(requests.map((sent) => send(sent, http.key)));
        const again = await Promise.all(requests.map((sent) => send(sent, http.key)));
        after.forEach((answer, n) => {
          expect(answer).toMatchObject({ status: 200 });
          expect(again[n]?.text).toBe(answer?.text);
          if (before[n] !== undefined) expect(answer?.text).toBe(before[n]?.text);
          if (requests[n]?.path === '/v1/events') expect(answer?.json.status).toBe('ACCEPTED');
        });
      }
      const reader = new Http(service.url, http.key);
      const operator = new Http(service.url, TEST_OPERATOR_KEY);
      const perRound = REQUESTS / 3;
      expect((await reader.get('/v1/events?limit=500')).json.items).toHaveLength(ROUNDS * perRound);
      const keys = (await operator.get(`/v1/api-keys?tenant_id=${tenantId}&limit=500`)).json.items as {
        name: string;
      }[];
      expect(keys.filter(({ name }) => name.startsWith('key '))).toHaveLength(ROUNDS * perRound);
      expect((await reader.get('/v1/ledger/verify')).json).toMatchObject({ valid: true });
      // Rounds that cut nothing off would prove nothing.
      expect(cutOff).toBeGreaterThan(0);
    },
    5 * 60_000,
  );
});
