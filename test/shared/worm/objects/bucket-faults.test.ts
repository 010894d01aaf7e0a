import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../../shared/clock/clock.js';
import { loadS3, S3Bucket } from '../../../../shared/worm/objects/s3-bucket.js';
import { type BucketFault, type BucketProxy, startBucketProxy } from '../../../support/bucket-proxy.js';
import {
  BUCKET_PROGRAMS,
  type BucketServer,
  bucketSettings,
  startBucketServer,
} from '../../../support/bucket-server.js';
import { startTestServer, type TestServer } from '../../../support/database.js';
import { envelope } from '../../../support/envelopes.js';
import { eventually } from '../../../support/eventually.js';
import { freshTenant, Http } from '../../../support/http.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../../../support/service-process.js';
import { upload } from '../../../vault/vault-kit.js';

const MIB = 1_048_576;
const START_MS = 240_000;
const WRITERS = 8;
/** Short, so that a silent bucket is given up on at once; the service waits longer. */
const TIMES = { connectMs: 1_000, answerMs: 200, wholeMs: 5_000 };
const PERSISTENT: readonly BucketFault[] = ['error', 'cut', 'half', 'lost', 'torn', 'expired', 'skewed'];

const program = BUCKET_PROGRAMS.find(({ name }) => name === 'in process');
if (program === undefined) throw new Error('no server runs in this process');

describe('a service whose bucket fails', () => {
  let root: string;
  let databases: TestServer;
  let server: BucketServer;
  let proxy: BucketProxy;
  let service: ServiceProcess;

  const start = (): Promise<ServiceProcess> =>
    startServiceProcess(join(root, 'data'), {
      MONGODB_URI: databases.uri,
      SERVICE_MASTER_KEY: '07'.repeat(32),
      SERVICE_RATE_LIMIT_PER_MINUTE: '0',
      SERVICE_WORM_DRIVER: 's3',
      SERVICE_WORM_S3_BUCKET: 'eas-worm',
      SERVICE_WORM_S3_PREFIX: 'eas/',
      SERVICE_WORM_S3_ENDPOINT: proxy.endpoint,
      SERVICE_WORM_S3_REGION: 'us-east-1',
      SERVICE_WORM_S3_PATH_STYLE: 'true',
      AWS_ACCESS_KEY_ID: process.env['AWS_ACCESS_KEY_ID'] ?? '',
      AWS_SECRET_ACCESS_KEY: process.env['AWS_SECRET_ACCESS_KEY'] ?? '',
    });

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'eas-bucket-faults-'));
    databases = await startTestServer();
    server = await startBucketServer(program);
    await server.bucket('eas-worm');
    proxy = await startBucketProxy(server.port);
    service = await start();
  }, START_MS);
  afterAll(async () => {
    await service?.stop();
    await proxy.stop();
    await server.stop();
    await databases.stop();
    await rm(root, { recursive: true, force: true });
  });

  it(
    'answers 503 with Retry-After, loses nothing that it acknowledged, and works afterwards',
    async () => {
      const tenant = await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), ['admin']);
      const http = (): Http => new Http(service.url, tenant.http.key);
      const acknowledged: string[] = [];
      const post = async (name: string): Promise<number> => {
        const answer = await http().post('/v1/events', envelope(name, { source_system: 'um-core' }));
        if (answer.status === 200) acknowledged.push(answer.json.event_id);
        if (answer.status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        return answer.status;
      };
      expect(await post('before')).toBe(200);
      for (const fault of PERSISTENT) {
        proxy.set(fault, 'PUT');
        const answers = await Promise.all([1, 2, 3].map((n) => post(`${fault}-${n}`)));
        expect(answers).toEqual([503, 503, 503]);
        const document = await upload(http(), { bytes: Buffer.alloc(9 * MIB, fault) });
        expect(document.status).toBe(503);
        expect(proxy.met()).toBeGreaterThan(0);
        proxy.set('none');
        // The same envelopes again: each is stored once, whether its first row is there or not.
        expect(await Promise.all([1, 2, 3].map((n) => post(`${fault}-${n}`)))).toEqual([200, 200, 200]);
        expect((await upload(http(), { bytes: Buffer.alloc(9 * MIB, fault) })).status).toBe(200);
      }
      proxy.set('none');
      // A kill under load, after the answers of the bucket began to be lost.
      const writers = Array.from({ length: WRITERS }, async (_, writer) => {
        for (let n = 0; ; n++) await post(`load-${writer}-${n}`);
      });
      // Each ends when the process is gone.
      for (const writer of writers) writer.catch(() => undefined);
      const before = acknowledged.length;
      while (acknowledged.length < before + 100) await new Promise((resolve) => setTimeout(resolve, 5));
      proxy.set('lost', 'PUT');
      while (proxy.met() < 3) await new Promise((resolve) => setTimeout(resolve, 5));
      await service.kill();
      await Promise.allSettled(writers);
      proxy.set('none');
      service = await start();
      for (const id of acknowledged)
        expect((await http().get(`/v1/events/${id}`)).json).toMatchObject({ event_id: id });
      const verdict = await eventually(
        async () => (await http().get('/v1/ledger/verify')).json,
        (seen) => seen.valid === true,
      );
      expect(verdict).toMatchObject({ valid: true, breaks: [] });
    },
    START_MS,
  );

  it('retries a request once the fault is over, and gives up on a silent bucket', async () => {
    const settings = { ...bucketSettings(proxy.endpoint, 'eas-worm'), prefix: 'alone/' };
    const bucket = new S3Bucket(await loadS3(), settings, systemClock, TIMES);
    proxy.set('silent');
    const given = Buffer.from('bytes');
    await expect(bucket.put('one', given)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(bucket.read('one', 0, 5)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    for (const fault of ['error', 'cut', 'half', 'lost', 'torn', 'silent'] as const) {
      proxy.set(fault);
      const stored = bucket.put(fault, given);
      while (proxy.met() === 0) await new Promise((resolve) => setImmediate(resolve));
      proxy.set('none');
      await stored;
      expect(await bucket.read(fault, 0, 100)).toEqual(given);
    }
    bucket.close();
  });
});
