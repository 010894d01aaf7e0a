import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configFrom } from '../../../shared/config/config.js';
import { type BucketProxy, startBucketProxy } from '../../support/bucket-proxy.js';
import { BUCKET_PROGRAMS, type BucketServer, startBucketServer } from '../../support/bucket-server.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant, Http } from '../../support/http.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../../support/service-process.js';

const TEST_MS = 300_000;
const program = BUCKET_PROGRAMS.find(({ name }) => name === 'in process');
if (program === undefined) throw new Error('no server runs in this process');

describe('SERVICE_WORM_ACKNOWLEDGE=database', () => {
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
      SERVICE_WORM_ACKNOWLEDGE: 'database',
      SERVICE_WORM_MAX_LAG_SECONDS: '2',
      SERVICE_WORM_S3_BUCKET: 'eas-worm',
      SERVICE_WORM_S3_ENDPOINT: proxy.endpoint,
      SERVICE_WORM_S3_REGION: 'us-east-1',
      SERVICE_WORM_S3_PATH_STYLE: 'true',
      AWS_ACCESS_KEY_ID: process.env['AWS_ACCESS_KEY_ID'] ?? '',
      AWS_SECRET_ACCESS_KEY: process.env['AWS_SECRET_ACCESS_KEY'] ?? '',
    });

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'eas-answers-ahead-'));
    databases = await startTestServer();
    server = await startBucketServer(program);
    await server.bucket('eas-worm');
    proxy = await startBucketProxy(server.port);
    service = await start();
  }, TEST_MS);
  afterAll(async () => {
    await service?.stop();
    await proxy.stop();
    await server.stop();
    await databases.stop();
    await rm(root, { recursive: true, force: true });
  });

  const operator = (): Http => new Http(service.url, TEST_OPERATOR_KEY);
  const lagSeconds = async (): Promise<number> => {
    const { text } = await operator().get('/metrics');
    return Number(/^eas_worm_copy_lag_seconds (\S+)$/m.exec(text)?.[1] ?? Number.NaN);
  };

  it('is rejected for drivers without a bucket', () => {
    expect(() => configFrom({ SERVICE_WORM_ACKNOWLEDGE: 'database' })).toThrow('needs SERVICE_WORM_DRIVER=s3');
  });

  it(
    'answers while the bucket fails, answers 503 beyond the lag, and loses nothing in a crash',
    async () => {
      const { key } = (await freshTenant(operator(), ['admin'])).http;
      const http = (): Http => new Http(service.url, key);
      const acknowledged: string[] = [];
      const post = async (name: string): Promise<number> => {
        const answer = await http().post('/v1/events', envelope(name, { source_system: 'um-core' }));
        if (answer.status === 200) acknowledged.push(answer.json.event_id);
        if (answer.status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        return answer.status;
      };
      expect(await post('before')).toBe(200);

      proxy.set('error', 'PUT');
      expect(await Promise.all([1, 2, 3].map((n) => post(`ahead-${n}`)))).toEqual([200, 200, 200]);
      // The same envelope again is the same event; its row is durable.
      const again = await http().post('/v1/events', envelope('ahead-1', { source_system: 'um-core' }));
      expect([again.status, again.json.status]).toEqual([200, 'DUPLICATE']);
      let posts = 0;
      expect(
        await eventually(
          () => post(`beyond-${posts++}`),
          (status) => status === 503,
        ),
      ).toBe(503);
      expect(await lagSeconds()).toBeGreaterThan(2);
      const health = await operator().get('/v1/healthz/ready');
      expect([health.status, health.json.checks.write_once_copies.status]).toEqual([200, 'failed']);
      expect(service.output()).toContain('the write-once copies exceed their lag');

      proxy.set('none');
      expect(await eventually(lagSeconds, (seconds) => seconds === 0)).toBe(0);
      expect(await post('after')).toBe(200);

      proxy.set('error', 'PUT');
      expect(await Promise.all([1, 2, 3].map((n) => post(`crash-${n}`)))).toEqual([200, 200, 200]);
      await service.kill();
      proxy.set('none');
      service = await start();
      for (const id of acknowledged) {
        expect((await http().get(`/v1/events/${id}`)).json).toMatchObject({ event_id: id });
      }
      // Compares each row with its copy in the bucket.
      const verdict = await eventually(
        async () => (await http().get('/v1/ledger/verify')).json,
        (seen) => seen.valid === true,
      );
      expect(verdict).toMatchObject({ valid: true, breaks: [] });
    },
    TEST_MS,
  );
});
