import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { envelope } from '../support/envelopes.js';
import { freshTenant, Http } from '../support/http.js';
import { seeded } from '../support/random.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../support/service-process.js';
import { expectKept, makeRecords, type Promises } from './record-makers.js';
import { expectAllPresent, type Receipt } from './write-load.js';

// The client's log of answers is the oracle: every acknowledged event must exist, and every record must be in the state
// that an answer has named.

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 1);
const SEED = Number(process.env['CRASH_SEED'] ?? 20260302);
const WRITERS = 64;
const PARTITIONS = 8;
/** A round ends at some acknowledgement, and a little later: counted, because a clock counts other things on a busy machine. */
const MAX_ACKNOWLEDGED = 192;
const MAX_PROMISED = 12;
const MAX_DELAY_MS = 40;
const ROUND_DEADLINE_MS = 150_000;
const SETTINGS = { SERVICE_RATE_LIMIT_PER_MINUTE: '0', SERVICE_REDACTION_TWO_PEOPLE: 'false' };

let dataDir: string;
let service: ServiceProcess;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'eas-crash-'));
  service = await startServiceProcess(dataDir, SETTINGS);
});

afterAll(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Posts until the service dies; every answered event goes into `acknowledged`. */
async function writer(http: Http, name: string, acknowledged: Receipt[]): Promise<void> {
  for (let n = 0; ; n++) {
    const body = envelope(`${name}-${n}`, { source_system: `source-${n % PARTITIONS}` });
    const answer = await http.post('/v1/events', body).catch(() => undefined);
    if (answer === undefined) return;
    if (answer.status === 200) acknowledged.push(answer.json as Receipt);
  }
}

async function killedRound(
  round: number,
  end: { afterAcknowledged: number; afterPromised: number; delayMs: number },
  { key, promises }: { key: string; promises: Promises },
): Promise<Receipt[]> {
  const acknowledged: Receipt[] = [];
  const http = new Http(service.url, key);
  const writers = Array.from({ length: WRITERS }, (_, w) => writer(http, `${round}-${w}`, acknowledged));
  const makers = makeRecords(http, `r${round}`, promises);
  const deadline = Date.now() + ROUND_DEADLINE_MS;
  const isOver = () => acknowledged.length >= end.afterAcknowledged && promises.length >= end.afterPromised;
  while (!isOver() && Date.now() < deadline) await delay(1);
  await delay(end.delayMs);
  await service.kill();
  await Promise.all([...writers, makers]);
  service = await startServiceProcess(dataDir, SETTINGS);
  return acknowledged;
}

describe('a service killed at any moment', () => {
  it(
    `keeps every acknowledged event and record, in unbroken chains, over ${ROUNDS} kills under ${WRITERS} writers`,
    async () => {
      const random = seeded(SEED);
      const { http } = await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), ['admin']);
      const key = http.key ?? '';
      const all: Receipt[] = [];
      const kept: Promises = [];
      for (let round = 0; round < ROUNDS; round++) {
        const end = {
          afterAcknowledged: 1 + random() * MAX_ACKNOWLEDGED,
          afterPromised: 1 + random() * MAX_PROMISED,
          delayMs: random() * MAX_DELAY_MS,
        };
        const promises: Promises = [];
        const acknowledged = await killedRound(round, end, { key, promises });
        kept.push(...promises);
        all.push(...acknowledged);
        const again = new Http(service.url, key);
        const verdict = await again.get('/v1/ledger/verify');
        expect(verdict.json).toMatchObject({ valid: true, breaks: [] });
        await expectPresent(again, acknowledged);
        await expectKept(again, promises);
      }
      // Rounds that acknowledged nothing would prove nothing.
      expect(all.length).toBeGreaterThan((ROUNDS * WRITERS) / 2);
      await expectAllPresent(new Http(service.url, key), all);
      await expectKept(new Http(service.url, key), kept);
      expect(kept.length).toBeGreaterThanOrEqual(ROUNDS);
    },
    20 * 60_000 + ROUNDS * 30_000,
  );
});

/** Every receipt names an event that is there at that place, with that hash; its WORM copy was read by verify. */
async function expectPresent(http: Http, receipts: readonly Receipt[]): Promise<void> {
  const sample = receipts.length <= 200 ? receipts : receipts.slice(-200);
  for (const receipt of sample) {
    const event = await http.get(`/v1/events/${receipt.event_id}`);
    expect(event.json).toMatchObject({ sequence: receipt.sequence, entry_hash: receipt.entry_hash });
  }
  const heads = (await http.get('/v1/ledger/partitions')).json.items as { source_system: string; sequence: number }[];
  for (const head of heads) {
    const last = Math.max(0, ...receipts.filter((r) => r.source_system === head.source_system).map((r) => r.sequence));
    expect(head.sequence).toBeGreaterThanOrEqual(last);
  }
}
