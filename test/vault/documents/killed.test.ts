import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keyed } from '../../rest-facade/edge-kit.js';
import { type Answer, freshTenant, Http } from '../../support/http.js';
import { seeded } from '../../support/random.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../../support/service-process.js';
import { formOf, programOf } from '../vault-kit.js';

// SIGKILL in the midst of uploads and releases: a document is there whole or not at all, and once.

const ROUNDS = Number(process.env['VAULT_CRASH_ROUNDS'] ?? 1);
const SEED = Number(process.env['CRASH_SEED'] ?? 20260302);
const MAX_ALIVE_MS = 400;
const UPLOADS = 6;
const REVIEW = { reason: 'Looked at it.', reviewed_by: 'j.doe' };

let dataDir: string;
let service: ServiceProcess;
const start = () =>
  startServiceProcess(dataDir, { SERVICE_RATE_LIMIT_PER_MINUTE: '0', SERVICE_CONTENT_SCAN_INLINE: 'true' });

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'eas-vault-killed-'));
  service = await start();
});
afterAll(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Undefined where the service died on it. */
const orNothing = (call: Promise<Answer>): Promise<Answer | undefined> => call.catch(() => undefined);

describe('a service killed under uploads and releases', () => {
  it(
    `has every document whole and once over ${ROUNDS} kills`,
    async () => {
      const random = seeded(SEED);
      const tenant = await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), ['admin']);
      const http = () => new Http(service.url, tenant.http.key);
      const made = new Map<string, Buffer>();
      for (let round = 0; round < ROUNDS; round++) {
        const flagged = programOf(round);
        const form = formOf({ bytes: flagged });
        const held = (await http().post('/v1/documents', form.body, form.headers)).json;
        const release = { path: `/v1/quarantine/${held.document_id}/release`, key: keyed() };
        const uploads = Array.from({ length: UPLOADS }, (_, n) => {
          const bytes = Buffer.alloc(300_000 + n * 400_000, `${round}-${n} `);
          return { bytes, ...formOf({ bytes }), key: keyed() };
        });
        const sendAll = () =>
          Promise.all([
            orNothing(http().post(release.path, REVIEW, release.key)),
            ...uploads.map(({ body, headers, key }) =>
              orNothing(http().post('/v1/documents', body, { ...headers, ...key })),
            ),
          ]);
        const first = sendAll();
        await new Promise((resolve) => setTimeout(resolve, random() * MAX_ALIVE_MS));
        await service.kill();
        const before = await first;
        service = await start();
        const [released, ...after] = await sendAll();
        expect(released).toMatchObject({
          status: 200,
          json: { status: 'AVAILABLE', review: { decision: 'RELEASED' } },
        });
        after.forEach((answer, n) => {
          expect(answer?.status).toBe(200);
          // A request that was answered before the kill gets the same answer.
          if (before[n + 1]?.status === 200) expect(answer?.json.document_id).toBe(before[n + 1]?.json.document_id);
          made.set(answer?.json.document_id, uploads[n]?.bytes ?? Buffer.alloc(0));
        });
        made.set(held.document_id, flagged);
      }
      const listed = await http().get('/v1/documents?limit=500');
      const ids = listed.json.items.map(({ document_id }: { document_id: string }) => document_id);
      expect([...ids].sort()).toEqual([...made.keys()].sort());
      for (const [id, bytes] of made) {
        const read = await http().get(`/v1/documents/${id}`);
        expect([read.status, Buffer.byteLength(read.text)]).toEqual([200, Buffer.byteLength(bytes.toString())]);
      }
    },
    120_000 + ROUNDS * 60_000,
  );
});
