import { GetObjectLegalHoldCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectDatabase } from '../../../shared/db/database.js';
import { type BucketFault, type BucketProxy, startBucketProxy } from '../../support/bucket-proxy.js';
import { BUCKET_PROGRAMS, type BucketServer, startBucketServer } from '../../support/bucket-server.js';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';
import { seeded } from '../../support/random.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { upload } from '../vault-kit.js';

const BUCKET = 'eas-worm';
const TEST_MS = 180_000;
const FAULTS: readonly BucketFault[] = ['error', 'cut', 'lost', 'torn', 'expired'];
const RELEASE = {
  authority: { kind: 'COURT_ORDER', reference: 'Dkt. 88' },
  reason: 'Dismissed.',
  released_by: 'General Counsel',
};

const program = BUCKET_PROGRAMS.find(({ name }) => name === 'in process');
if (program === undefined) throw new Error('no server runs in this process');

describe('legal holds of a deployment with a bucket', () => {
  let server: BucketServer;
  let proxy: BucketProxy;
  let client: S3Client;
  let service: WholeService;

  beforeAll(async () => {
    server = await startBucketServer(program);
    await server.bucket(BUCKET);
    proxy = await startBucketProxy(server.port);
    client = new S3Client({ endpoint: server.endpoint, region: 'us-east-1', forcePathStyle: true });
    service = await startWholeService({
      SERVICE_WORM_DRIVER: 's3',
      SERVICE_WORM_S3_BUCKET: BUCKET,
      SERVICE_WORM_S3_ENDPOINT: proxy.endpoint,
      SERVICE_WORM_S3_REGION: 'us-east-1',
      SERVICE_WORM_S3_PATH_STYLE: 'true',
      SERVICE_WORM_S3_GATHER_MS: '0',
    });
  }, TEST_MS);
  afterAll(async () => {
    await service?.stop();
    client.destroy();
    await proxy.stop();
    await server.stop();
  });

  /** Counts the objects with the flag; other tenants' flags are lifted by the end of each test. */
  const held = async (under: string): Promise<number> => {
    const { Versions = [] } = await client.send(new ListObjectVersionsCommand({ Bucket: BUCKET, Prefix: under }));
    let count = 0;
    for (const { Key, VersionId } of Versions) {
      const answer = await client.send(new GetObjectLegalHoldCommand({ Bucket: BUCKET, Key, VersionId }));
      if (answer.LegalHold?.Status === 'ON') count++;
    }
    return count;
  };
  const becomes = async (wanted: { readonly segments: number; readonly contents: number }): Promise<void> => {
    const seen = async () => ({ segments: await held('segments/'), contents: await held('contents/') });
    const isThere = (now: typeof wanted) => now.segments === wanted.segments && now.contents === wanted.contents;
    expect(await eventually(seen, isThere)).toEqual(wanted);
  };
  const gauge = async (name: string): Promise<number> => {
    const { text } = await service.operator.get('/metrics', { authorization: `Bearer ${service.operator.key}` });
    return Number(new RegExp(`^eas_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  };
  const admin = async (): Promise<Http> => (await freshTenant(service.operator, ['admin'])).http;
  const place = async (http: Http, name: string): Promise<string> => {
    const placed = await http.post('/v1/legal-holds', { name, scope: { member_ids: ['M-1'] }, reason: 'Complaint.' });
    expect(placed.status).toBe(200);
    return placed.json.hold_id;
  };
  const release = async (http: Http, holdId: string): Promise<void> => {
    expect((await http.post(`/v1/legal-holds/${holdId}/release`, RELEASE)).status).toBe(200);
  };
  const post = async (http: Http, name: string, member_id: string): Promise<void> => {
    expect((await http.post('/v1/events', envelope(name, { member_id }))).status).toBe(200);
  };

  it(
    'set the flag of present and of new objects, and lift it with the last release',
    async () => {
      const http = await admin();
      await post(http, 'held', 'M-1');
      await post(http, 'free', 'M-2');
      expect((await upload(http, 'a letter of M-1', { member_id: 'M-1' })).status).toBe(200);
      expect((await upload(http, 'a letter of M-2', { member_id: 'M-2' })).status).toBe(200);
      const [first, second] = [await place(http, 'First'), await place(http, 'Second')];
      await becomes({ segments: 1, contents: 1 });
      await post(http, 'held later', 'M-1');
      expect((await upload(http, 'a later letter of M-1', { member_id: 'M-1' })).status).toBe(200);
      await becomes({ segments: 2, contents: 2 });
      expect(await gauge('hold_flags_due')).toBe(0);
      await release(http, first);
      expect(
        await eventually(
          () => gauge('hold_flags_lifting'),
          (count) => count === 0,
        ),
      ).toBe(0);
      await becomes({ segments: 2, contents: 2 });
      await release(http, second);
      await becomes({ segments: 0, contents: 0 });
    },
    TEST_MS,
  );

  it(
    'show their lag while the bucket fails, and catch up afterwards',
    async () => {
      const http = await admin();
      await post(http, 'held', 'M-1');
      proxy.set('error', 'PUT', 'legal-hold');
      const hold = await place(http, 'Unreachable');
      expect(
        await eventually(
          () => gauge('hold_flags_due'),
          (count) => count === 1,
        ),
      ).toBe(1);
      expect(
        await eventually(
          () => gauge('hold_flags_lag_seconds'),
          (seconds) => seconds > 0,
        ),
      ).toBeGreaterThan(0);
      const random = seeded(11);
      proxy.vary(() => (random() < 0.5 ? (FAULTS[Math.floor(random() * FAULTS.length)] ?? 'none') : 'none'));
      await becomes({ segments: 1, contents: 0 });
      expect(
        await eventually(
          () => gauge('hold_flags_due'),
          (count) => count === 0,
        ),
      ).toBe(0);
      proxy.set('none');
      await release(http, hold);
      await becomes({ segments: 0, contents: 0 });
    },
    TEST_MS,
  );

  it(
    'keep the flags of a hold that someone edits to released',
    async () => {
      const http = await admin();
      await post(http, 'held', 'M-1');
      const hold = await place(http, 'Edited');
      await becomes({ segments: 1, contents: 0 });
      const database = await connectDatabase(service.databaseUri);
      const holds = database.db.collection<{ _id: string; status: string }>('legal_holds');
      await holds.updateOne({ _id: hold }, { $set: { status: 'RELEASED' } });
      expect((await http.get(`/v1/legal-holds/${hold}`)).status).toBe(500);
      // A run over this tenant fails, and the next tenant has its turn.
      const other = await admin();
      await post(other, 'held', 'M-1');
      const later = await place(other, 'Later');
      await becomes({ segments: 2, contents: 0 });
      await release(other, later);
      await becomes({ segments: 1, contents: 0 });
      await database.close();
    },
    TEST_MS,
  );
});
