import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { delay } from '../../../shared/clock/timers.js';
import { keyed } from '../../rest-facade/edge-kit.js';
import { envelope } from '../../support/envelopes.js';
import { type Answer, freshTenant, Http } from '../../support/http.js';
import { seeded } from '../../support/random.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../../support/service-process.js';
import { upload } from '../vault-kit.js';

// SIGKILL in the midst of a retention sweep and of the release of a hold. The process of the service lives under a clock that
// is taken past the age of what it holds (test/support/clock-ahead.mjs); everything else is as it is in production.

const ROUNDS = Number(process.env['RETENTION_CRASH_ROUNDS'] ?? 1);
const SEED = Number(process.env['CRASH_SEED'] ?? 20260302);
const MAX_ALIVE_MS = 700;
/** More than one disposal holds. */
const FREE_EVENTS = 120;
const HELD_EVENTS = 15;
const DOCUMENTS = 3;
const STEP_MS = 11 * 366 * 24 * 3_600_000;
const DEADLINE_MS = 150_000;
const RELEASE = {
  authority: { kind: 'COURT_ORDER', reference: 'Dkt. 88' },
  reason: 'Dismissed.',
  released_by: 'General Counsel',
};

let dataDir: string;
let service: ServiceProcess;
let steps = 0;

const start = () =>
  startServiceProcess(dataDir, {
    SERVICE_RATE_LIMIT_PER_MINUTE: '0',
    SERVICE_CONTENT_SCAN_INLINE: 'true',
    NODE_OPTIONS: `--import=${pathToFileURL(repositoryFile('test/support/clock-ahead.mjs')).href}`,
    CLOCK_STEP_MS: String(STEP_MS),
    CLOCK_AHEAD_MS: String(steps * STEP_MS),
  });

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'eas-retention-killed-'));
  service = await start();
});
afterAll(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Undefined where the service died on it. */
const orNothing = (call: Promise<Answer>): Promise<Answer | undefined> => call.catch(() => undefined);

/** What one round leaves behind: events and documents by what becomes of them. */
interface Kept {
  readonly held: readonly string[];
  readonly free: readonly string[];
}

interface Round {
  readonly events: Kept & { readonly released: readonly string[] };
  readonly documents: Kept;
  readonly holdIds: { readonly stays: string; readonly goes: string };
}

async function filled(http: Http, round: number): Promise<Round> {
  const member = (kind: string): string => `M-${kind}-${round}`;
  const events = async (kind: string, count: number): Promise<string[]> => {
    const at = new Date(Date.now() + steps * STEP_MS - 60_000).toISOString();
    const items = Array.from({ length: count }, (_, n) =>
      envelope(`${kind}-${round}-${n}`, { member_id: member(kind), event_effective_timestamp: at }),
    );
    const answer = await http.post('/v1/events', items);
    expect(answer.status).toBe(200);
    return answer.json.results.map(({ event_id }: { event_id: string }) => event_id);
  };
  const documents = async (kind: string, count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const made = await upload(http, `letter ${kind} ${round} ${n}`, { member_id: member(kind) });
      expect(made.status).toBe(200);
      ids.push(made.json.document_id);
    }
    return ids;
  };
  const hold = async (kind: string): Promise<string> => {
    const scope = { member_ids: [member(kind)] };
    const placed = await http.post('/v1/legal-holds', { name: `${kind} ${round}`, reason: 'Complaint served.', scope });
    expect(placed.status).toBe(200);
    return placed.json.hold_id;
  };
  return {
    events: {
      held: await events('held', HELD_EVENTS),
      released: await events('released', HELD_EVENTS),
      free: await events('free', FREE_EVENTS),
    },
    documents: { held: await documents('held', 1), free: await documents('free', DOCUMENTS) },
    holdIds: { stays: await hold('held'), goes: await hold('released') },
  };
}

const statusOf = async (http: Http, path: string): Promise<number> => (await http.get(path)).status;

async function statuses(http: Http, folder: 'events' | 'documents', ids: readonly string[]): Promise<Set<number>> {
  return new Set(await Promise.all(ids.map((id) => statusOf(http, `/v1/${folder}/${id}`))));
}

/**
 * Waits until the process has moved its clock. A request that it accepted before would have the time of years ago, and its
 * key would expire before the retry. Only unheld records show the move: held records of earlier rounds are past their age too.
 */
async function aged(http: Http, { events, documents }: Round): Promise<void> {
  const deadlineMs = Date.now() + DEADLINE_MS;
  for (;;) {
    const { json } = await http.post('/v1/retention/sweep', { dry_run: true }, keyed());
    const [free, letters] = [events.free.length, documents.free.length];
    if (json.events.disposed === free && json.documents.disposed === letters) return;
    expect(Date.now()).toBeLessThan(deadlineMs);
    await delay(20);
  }
}

/** After a kill at any moment every held record exists, and every missing one has an explanation. */
async function expectNothingHalf(http: Http, { events, documents }: Round): Promise<void> {
  expect(await statuses(http, 'events', events.held)).toEqual(new Set([200]));
  expect(await statuses(http, 'documents', documents.held)).toEqual(new Set([200]));
  for (const status of await statuses(http, 'events', [...events.free, ...events.released])) {
    expect([200, 410]).toContain(status);
  }
  for (const status of await statuses(http, 'documents', documents.free)) expect([200, 410]).toContain(status);
  await expectWhole(http);
}

async function expectWhole(http: Http): Promise<void> {
  expect((await http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
}

async function allOf(http: Http, path: string): Promise<Answer['json'][]> {
  const items: Answer['json'][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { json } = await http.get(`${path}&limit=500${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    items.push(...json.items);
    cursor = json.next_cursor as string | null;
  }
  return items;
}

/** Each hole has an entry in `_system`, and one, also where the job and a request have swept at once; each disposal one certificate. */
async function expectExplained(http: Http, gone: readonly string[]): Promise<void> {
  const entries = await allOf(http, '/v1/events?source_system=_system&event_type=records.disposed');
  const orders = await Promise.all(
    entries.map(async ({ event_id }) => (await http.get(`/v1/events/${event_id}`)).json.payload),
  );
  const named = orders.flatMap(({ events }) => events.map(({ event_id }: { event_id: string }) => event_id));
  expect(named.sort()).toEqual([...gone].sort());
  const deadlineMs = Date.now() + DEADLINE_MS;
  for (;;) {
    const custody = await allOf(http, '/v1/custody?action=DISPOSE');
    const stages = custody.map(({ detail }: { detail?: { stage: string; disposal_id: string } }) => detail);
    const certified = stages.flatMap((detail) => (detail?.stage === 'DISPOSED' ? [detail.disposal_id] : []));
    expect(new Set(certified).size).toBe(certified.length);
    if (orders.every(({ disposal_id }) => certified.includes(disposal_id))) return;
    expect(Date.now()).toBeLessThan(deadlineMs);
    await delay(200);
  }
}

describe('a service killed under a sweep and the release of a hold', () => {
  it(
    `loses no hold, leaves no half disposal, and explains every hole over ${ROUNDS} kills`,
    async () => {
      const random = seeded(SEED);
      const tenant = await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), ['admin']);
      const http = () => new Http(service.url, tenant.http.key);
      const rounds: Round[] = [];
      let met = 0;
      for (let n = 0; n < ROUNDS; n++) {
        const round = await filled(http(), n);
        rounds.push(round);
        service.process.kill('SIGUSR2');
        steps++;
        await aged(http(), round);
        const [release, sweep] = [keyed(), keyed()];
        const act = () =>
          Promise.all([
            orNothing(http().post(`/v1/legal-holds/${round.holdIds.goes}/release`, RELEASE, release)),
            orNothing(http().post('/v1/retention/sweep', {}, sweep)),
          ]);
        const first = act();
        await delay(random() * MAX_ALIVE_MS);
        await service.kill();
        const before = await first;
        if (before[1] === undefined) met++;
        service = await start();
        await expectNothingHalf(http(), round);
        const stays = await http().get(`/v1/legal-holds/${round.holdIds.stays}`);
        expect(stays.json.status).toBe('ACTIVE');
        const goes = await http().get(`/v1/legal-holds/${round.holdIds.goes}`);
        // An acknowledged release is final.
        if (before[0]?.status === 200) expect(goes.json.status).toBe('RELEASED');
        const [released, swept] = await act();
        expect([released?.status, released?.text]).toEqual([200, expect.stringContaining('"RELEASED"')]);
        expect(swept?.status).toBe(200);
        const last = await http().post('/v1/retention/sweep', {}, keyed());
        expect([last.status, last.json.complete]).toEqual([200, true]);
        await expectNothingHalf(http(), round);
        expect(await statuses(http(), 'events', [...round.events.free, ...round.events.released])).toEqual(
          new Set([410]),
        );
        expect(await statuses(http(), 'documents', round.documents.free)).toEqual(new Set([410]));
      }
      for (const round of rounds) await expectNothingHalf(http(), round);
      await expectExplained(
        http(),
        rounds.flatMap(({ events }) => [...events.free, ...events.released]),
      );
      // Kills that met no sweep would prove nothing.
      expect(met).toBeGreaterThan(0);
    },
    180_000 + ROUNDS * 90_000,
  );
});
