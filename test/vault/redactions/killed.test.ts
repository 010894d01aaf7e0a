import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, Http } from '../../support/http.js';
import { seeded } from '../../support/random.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../../support/service-process.js';
import { upload } from '../vault-kit.js';

// A service that is killed while redactions are applied. Whatever it says afterwards it must mean: a draft hides nothing, an
// applied one hides everything, and the ledger verifies.

/** `npm run test:long` raises it. */
const ROUNDS = Number(process.env['REDACTION_CRASH_ROUNDS'] ?? 1);
const DEADLINE_MS = 150_000;

let dataDir: string;
let service: ServiceProcess;
let key: string;
const settings = { SERVICE_RATE_LIMIT_PER_MINUTE: '0', SERVICE_REDACTION_TWO_PEOPLE: 'false' };
const http = (): Http => new Http(service.url, key);

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'eas-redactions-'));
  service = await startServiceProcess(dataDir, settings);
  key = (await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), ['admin'])).http.key ?? '';
});

afterAll(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

interface Target {
  readonly redactionId: string;
  /** What a reader without the scope is shown. */
  readonly path: string;
}

async function draftOf(round: number): Promise<Target[]> {
  const { event_id } = (await http().post('/v1/events', { ...envelope(round), payload: { note: 'unutterable' } })).json;
  const { document_id } = (await upload(http(), `round ${round} unutterable`)).json;
  const drafts = [
    { subject: { kind: 'EVENT', id: event_id }, pointers: ['/payload/note'] },
    { subject: { kind: 'DOCUMENT', id: document_id }, terms: ['unutterable'] },
  ];
  const paths = [`/v1/events/${event_id}`, `/v1/documents/${document_id}`];
  return Promise.all(
    drafts.map(async (draft, i) => {
      const { json } = await http().post('/v1/redactions', { ...draft, reason: 'r', basis: 'b' });
      return { redactionId: json.redaction_id, path: paths[i] ?? '' };
    }),
  );
}

/** True once the record and what readers get say the same. */
async function agree({ redactionId, path }: Target): Promise<boolean> {
  const { status } = (await http().get(`/v1/redactions/${redactionId}`)).json;
  const shows = (await http().get(path)).text.includes('unutterable');
  return status === 'APPLIED' ? !shows : status === 'DRAFT' && shows;
}

it(`hides exactly the reported redactions after ${ROUNDS} kills while applying`, async () => {
  const random = seeded(20_261_121);
  const all: Target[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const targets = await draftOf(round);
    all.push(...targets);
    const applying = targets.map(({ redactionId }) =>
      http()
        .post(`/v1/redactions/${redactionId}/apply`, {})
        .catch(() => undefined),
    );
    await new Promise((resolve) => setTimeout(resolve, random() * 400));
    await service.kill();
    await Promise.all(applying);
    service = await startServiceProcess(dataDir, settings);
    for (const target of targets) {
      const deadline = Date.now() + DEADLINE_MS;
      while (!(await agree(target)) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 200));
      expect([target, await agree(target)]).toEqual([target, true]);
    }
  }
  // Remaining drafts can still be applied; applied redactions stay applied.
  for (const { redactionId, path } of all) {
    await http().post(`/v1/redactions/${redactionId}/apply`, {});
    expect((await http().get(`/v1/redactions/${redactionId}`)).json.status).toBe('APPLIED');
    expect((await http().get(path)).text).not.toContain('unutterable');
  }
  expect((await http().get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
}, 1_800_000);
