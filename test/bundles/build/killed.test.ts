import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { delay } from '../../../shared/clock/timers.js';
import { freshTenant, Http } from '../../support/http.js';
import { seeded } from '../../support/random.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../../support/service-process.js';
import { download, ended, eventOf, postEvents, requested, upload, verifiedOffline } from '../bundles-kit.js';

// A service that is killed while it builds: every bundle is sealed once in the end, or FAILED and says why.

const KILLS = Number(process.env['BUNDLE_CRASH_ROUNDS'] ?? 1);
const MOST_WAIT_MS = 900;
const MINUTES = 60_000;

let folder: string;
let service: ServiceProcess;
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eas-bundles-'));
  service = await startServiceProcess(folder, SETTINGS);
  const { http } = await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), ['admin']);
  key = http.key ?? '';
  for (let from = 0; from < 3_000; from += 1_000) {
    await postEvents(
      http,
      Array.from({ length: 1_000 }, (_, n) => eventOf('M-1', from + n)),
    );
  }
  await upload(http, 'A letter.', { member_id: 'M-1' });
  // Enough that its blocks pass through the thread of the write-once store, which is killed with the service.
  await upload(http, Buffer.alloc(17 * 1_048_576, 5), { member_id: 'M-1' });
}, 5 * MINUTES);

const SETTINGS = { SERVICE_BUNDLE_LEASE_MS: '1000', SERVICE_RATE_LIMIT_PER_MINUTE: '0' };

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const http = (): Http => new Http(service.url, key);

describe('a service killed while it builds bundles', () => {
  it(
    `seals each of them once over ${KILLS} kills`,
    async () => {
      const random = seeded(20_261_121);
      const ids: string[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        ids.push((await requested(http(), { scope: { member_id: 'M-1' } })).bundle_id);
        await delay(random() * MOST_WAIT_MS);
        await service.kill();
        service = await startServiceProcess(folder, SETTINGS);
      }
      for (const id of ids) {
        const bundle = await ended(http(), id, 3 * MINUTES);
        if (bundle.status === 'FAILED') {
          expect(bundle.failure.code).toMatch(/^[A-Z_]+$/);
          continue;
        }
        const zip = await download(http(), id);
        expect(createHash('sha256').update(zip).digest('hex')).toBe(bundle.worm_blob_sha256);
        const { report } = await verifiedOffline(zip, ['--key', bundle.signing_key_id]);
        expect({ verdict: report.verdict, breaks: report.breaks }).toEqual({ verdict: 'VALID', breaks: [] });
        expect(await sealsOf(id)).toBe(1);
      }
    },
    10 * MINUTES + KILLS * 2 * MINUTES,
  );
});

/** Reads the seals from the tenant's ledger; pending effects are performed within seconds. */
async function sealsOf(bundleId: string): Promise<number> {
  const deadlineMs = Date.now() + MINUTES;
  for (;;) {
    const { json } = await http().get('/v1/events?source_system=_records&event_type=bundle.sealed&limit=500');
    const seals = json.items.filter(
      (event: { payload: { bundle_id: string } }) => event.payload.bundle_id === bundleId,
    );
    if (seals.length > 0 || Date.now() > deadlineMs) return seals.length;
    await delay(100);
  }
}
