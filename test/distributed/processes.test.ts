import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { download, ended, eventOf, opened, postEvents, sealed } from '../bundles/bundles-kit.js';
import { Desk, RIGHTS } from '../members-graph/data-rights/kit.js';
import { envelope } from '../support/envelopes.js';
import { eventually } from '../support/eventually.js';
import { freshTenant, Http } from '../support/http.js';
import { TEST_OPERATOR_KEY } from '../support/service-process.js';
import { deliveryCases, OPEN_LOOPBACK } from './delivery-cases.js';
import { type Deployment, MEMBERS, type Member, startDeployment } from './deployment.js';
import { type Ack, FailoverClient } from './failover-client.js';

// Every role as a process on loopback, one embedded database and one folder of write-once files below them. Clients' own lists of answers are the oracle.

/** How often each process is killed; without it those through which every write goes are killed once. */
const ROUNDS = Number(process.env['DISTRIBUTED_ROUNDS'] ?? 0);
const EACH = Object.keys(MEMBERS) as Member[];
const VICTIMS: readonly Member[] = ROUNDS > 0 ? EACH : ['ledger', 'worker-1'];
const LANES = 2;
/** The pause between two events of a lane, which leaves processor time for starting processes. */
const PAUSE_MS = 10;
const SOURCES = ['um-core', 'claims'];
const MINUTES = 60_000;

let deployment: Deployment;
let wormFolder: string;
let facades: readonly string[];
let http: Http;

beforeAll(async () => {
  wormFolder = await mkdtemp(join(tmpdir(), 'eas-deployment-worm-'));
  const files = { SERVICE_WORM_DRIVER: 'filesystem', SERVICE_WORM_DIR: wormFolder };
  deployment = await startDeployment(EACH, { ...OPEN_LOOPBACK, ...files });
  facades = [deployment.urls['facade-1'], deployment.urls['facade-2']];
  const made = await freshTenant(new Http(facades[0] ?? '', TEST_OPERATOR_KEY), [
    'events:read',
    'events:write',
    'graph:query',
  ]);
  http = made.http;
}, 10 * MINUTES);

afterAll(async () => {
  await deployment?.stop();
  await rm(wormFolder, { recursive: true, force: true });
}, MINUTES);

/** Two clients that post, each on some lanes, until they are stopped. */
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
        await delay(PAUSE_MS);
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
      while (acknowledged().length < from + more) await delay(PAUSE_MS);
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
  it('serves each role at its own address', async () => {
    const gateway = new Http(deployment.urls.gateway, http.key);
    expect((await gateway.get('/v1/events')).status).toBe(404);
    const query = '{ ledgerPartitions { items { source_system } } }';
    expect((await gateway.post('/graphql', { query })).status).toBe(200);
    for (const member of EACH) {
      const ready = await eventually(
        () => new Http(deployment.urls[member], null).get('/v1/healthz/ready'),
        ({ status }) => status === 200,
      );
      expect([member, ready.status]).toEqual([member, 200]);
      expect((await fetch(`${deployment.urls[member]}/metrics`)).status).toBe(200);
    }
    for (const member of ['admin', 'ledger'] as const) {
      const open = await new Http(deployment.urls[member], http.key).post('/graphql', { query: '{ __typename }' });
      expect([open.status, open.json.code]).toEqual([401, 'UNAUTHENTICATED']);
    }
  });

  it('returns raw bytes from any facade, and records custody in the ledger process', async () => {
    const body = await readFile(repositoryFile('test/ledger/formats/x12/fixtures/dental-predetermination.837'));
    const edi = { 'content-type': 'application/edi-x12' };
    const taken = await http.post('/v1/ingest/raw?source_system=dental', body, edi);
    const [{ event_id }] = taken.json.results;
    const other = new Http(facades[1] ?? '', http.key);
    const given = await other.get(`/v1/events/${event_id}/raw`);
    expect([given.status, given.text]).toEqual([200, body.toString('latin1')]);
    expect(await readdir(join(wormFolder, 'blobs'))).not.toEqual([]);
    const custody = await http.get(`/v1/custody?subject_kind=EVENT&subject_id=${event_id}`);
    expect(custody.json.items).toMatchObject([{ action: 'READ_RAW', actor: { type: 'KEY' }, seq: 1 }]);
  });

  it('handles a member’s data rights in the processes of bundles, vault and ledger', async () => {
    const desk = await Desk.fresh(new Http(facades[0] ?? '', TEST_OPERATOR_KEY));
    const old = { member_id: 'M-asks', event_effective_timestamp: '2010-03-02T14:11:09.123Z' };
    await desk.made('/v1/events', envelope('asks', old));
    const started = async (right: string): Promise<string> => {
      const id = await desk.verified('M-asks', right);
      const { status } = await desk.made(`${RIGHTS}/${id}/start`, {});
      expect([right, status]).toEqual([right, 'IN_PROGRESS']);
      return id;
    };
    const access = await started('ACCESS');
    const { bundle_id } = (await desk.read(access)).fulfilment;
    expect((await ended(desk.http, bundle_id)).status).toBe('SEALED');
    const accounting = await started('ACCOUNTING_OF_DISCLOSURES');
    const { items } = (await desk.http.get(`${RIGHTS}/${accounting}/disclosures`)).json;
    expect(items).toEqual([]);
    const erasure = await started('ERASURE');
    const { complete, refused } = (await desk.read(erasure)).fulfilment;
    expect({ complete, reasons: refused.map(({ reason }: { reason: string }) => reason) }).toEqual({
      complete: true,
      reasons: ['RETENTION'],
    });
    for (const id of [access, accounting]) {
      expect((await desk.made(`${RIGHTS}/${id}/fulfil`, {})).status).toBe('FULFILLED');
    }
  });

  it('explains a denial, and verifies it, in the advocacy process, on events of the ledger process', async () => {
    const denied = { event_family: 'remittance', event_type: 'claim_adjudicated', outcome: 'denied' };
    const payload = { carc: ['50'], procedure_codes: ['E0601'], diagnosis_codes: ['G47.33'], program: 'Medicare' };
    const { event_id } = (await http.post('/v1/events', envelope('explained', { ...denied, payload }))).json;
    const other = new Http(facades[1] ?? '', http.key);
    expect((await other.get(`/v1/advocacy/explain/${event_id}`)).json).toMatchObject({
      event_id,
      reasons: [{ code: '50', code_system: 'CARC' }],
      citations: expect.arrayContaining([
        { rule_id: expect.stringMatching(/^rul_/), revision: 1, sha256: expect.any(String) },
      ]),
    });
    expect((await other.get(`/v1/advocacy/guideline/${event_id}`)).json).toMatchObject({
      event_id,
      guidelines: [{ key: 'NCD-240.4' }],
    });
  });

  it(
    'builds a bundle of a merged member’s records, and checks consent in another process',
    async () => {
      const { http: own } = await freshTenant(new Http(facades[0] ?? '', TEST_OPERATOR_KEY), ['admin']);
      for (const member_id of ['M-kept', 'M-away']) {
        expect((await own.post('/v1/members', { member_id, name: { family: 'Okafor' } })).status).toBe(200);
      }
      expect((await own.post('/v1/members/M-kept/merge', { source_member_id: 'M-away' })).status).toBe(200);
      await postEvents(own, [
        eventOf('M-kept', 1),
        eventOf('M-away', 2),
        eventOf('M-away', 3, { sensitivity: '42CFR2' }),
      ]);
      const bundle = await sealed(own, { scope: { member_id: 'M-away' }, purpose: 'TREATMENT' });
      expect(bundle).toMatchObject({ event_count: 2, withheld: { count: 1, reason: '42CFR2' } });
      const { manifest } = await opened(await download(own, bundle.bundle_id));
      expect(manifest.scope.member_ids).toEqual(['M-away', 'M-kept']);
    },
    2 * MINUTES,
  );

  it(
    'loses no request while two facades behind one address list restart one after the other',
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

  it(
    `keeps what it acknowledged and recovers by itself, ${VICTIMS.length} processes killed ${Math.max(1, ROUNDS)}×`,
    async () => {
      const running = load('killed', true);
      await running.served(20);
      for (let round = 0; round < Math.max(1, ROUNDS); round++) {
        for (const member of VICTIMS) {
          await deployment.killAndRestart(member);
          await running.served(20);
        }
      }
      await running.stop();
      await expectKept(running.acknowledged());
    },
    (15 + 10 * ROUNDS) * MINUTES,
  );

  deliveryCases(() => deployment);
});
