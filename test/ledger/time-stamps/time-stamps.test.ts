import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { download, opened, sealed, verifiedOffline } from '../../bundles/bundles-kit.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant, Http } from '../../support/http.js';
import { describeUnless, lackOf } from '../../support/needs.js';
import { opensslStamps, startTimeStampAuthority, type TimeStampAuthority } from '../../support/time-stamp-authority.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

// Daily time-stamps of checkpoints: asked for at the start of a service with a checkpoint in its ledger.

describeUnless(lackOf(opensslStamps(), 'openssl ts'))('a ledger whose checkpoints are time-stamped', () => {
  let folder: string;
  let server: TestServer;
  let authority: TimeStampAuthority;
  let other: TimeStampAuthority;
  let key: string;
  let service: WholeService;

  const start = async (settings: Readonly<Record<string, string>> = {}): Promise<Http> => {
    const shared = { MONGODB_URI: server.uri, SERVICE_DATA_DIR: join(folder, 'data') };
    service = await startWholeService({ ...shared, ...settings });
    return new Http(service.operator.url, key);
  };
  const stamping = (ca: string) => ({
    SERVICE_TSA_URL: authority.url,
    SERVICE_TSA_ALLOW_HTTP: 'true',
    SERVICE_TSA_ALLOW_CIDRS: '127.0.0.0/8',
    SERVICE_TSA_CA: ca,
  });
  const pathOf = (checkpointId: string): string => `/v1/ledger/checkpoints/${checkpointId}/timestamp`;
  /** The stamp of whichever checkpoint was the latest at the start. */
  const stampedIn = async (http: Http) => {
    for (const { checkpoint_id } of (await http.get('/v1/ledger/checkpoints')).json.items) {
      const { status, json } = await http.get(pathOf(checkpoint_id));
      if (status === 200) return json;
    }
    return {};
  };
  const verdictOf = async (http: Http) => (await http.get('/v1/ledger/verify')).json;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'time-stamps-'));
    server = await startTestServer();
    [authority, other] = await Promise.all([startTimeStampAuthority(), startTimeStampAuthority('ec')]);
    await start();
    const { http } = await freshTenant(service.operator, ['admin']);
    key = http.key ?? '';
    await http.post('/v1/events', envelope(1));
    await eventually(
      () => http.get('/v1/ledger/checkpoints/latest'),
      ({ status }) => status === 200,
    );
    await service.stop();
  });
  afterAll(async () => {
    await authority.stop();
    await other.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is VALID by the stamp, which anyone verifies; without its root, or edited in the database, the stamp counts for nothing', async () => {
    const http = await start(stamping(authority.ca));
    const stamp = await eventually(
      () => stampedIn(http),
      ({ status }) => status === 'OBTAINED',
    );
    const { checkpoint_id } = stamp;
    const { tree_size, note } = (await http.get(`/v1/ledger/checkpoints/${checkpoint_id}`)).json;
    const path = pathOf(checkpoint_id);
    expect(stamp).toMatchObject({ authority: 'CN=Test authority' });
    expect(authority.verify(Buffer.from(stamp.reply, 'base64'), Buffer.from(note))).toContain('OK');
    const bare = await fetch(`${http.url}${path}`, {
      headers: { 'x-api-key': key, accept: 'application/timestamp-reply' },
    });
    expect(Buffer.from(await bare.arrayBuffer()).toString('base64')).toBe(stamp.reply);
    expect(await verdictOf(http)).toMatchObject({
      verdict: 'VALID',
      anchors: expect.arrayContaining([
        { kind: 'TIME_STAMP', name: 'CN=Test authority', tree_size, at: stamp.gen_time },
      ]),
      unanchored: { since_size: tree_size },
    });
    const { bundle_id, signing_key_id } = await sealed(http, { scope: { member_id: envelope(1).member_id } });
    const zip = await download(http, bundle_id);
    const { manifest, text } = await opened(zip);
    expect(manifest.anchoring).toMatchObject({
      anchors: expect.arrayContaining([expect.objectContaining({ kind: 'TIME_STAMP', tree_size })]),
      unanchored: { since_size: tree_size },
    });
    expect((await text('certificate/fre-902.txt')).replace(/\s+/g, ' ')).toContain('time-stamp of CN=Test authority');
    expect((await verifiedOffline(zip, ['--key', signing_key_id])).exitCode).toBe(0);
    const unknown = '/v1/ledger/checkpoints/chk_01JQ0000000000000000000001/timestamp';
    expect((await http.get(unknown)).status).toBe(404);
    await service.stop();

    const untrusting = await start(stamping(other.ca));
    expect(await verdictOf(untrusting)).toMatchObject({
      verdict: 'VALID_UNANCHORED',
      not_checked: expect.arrayContaining([
        { what: 'the time-stamp of a checkpoint', why: 'Its authority is not under a root of SERVICE_TSA_CA_FILE.' },
      ]),
    });
    await service.stop();

    const client = await MongoClient.connect(server.uri);
    const spoiled = Buffer.from(stamp.reply, 'base64');
    spoiled.writeUInt8(spoiled.readUInt8(spoiled.length - 1) ^ 1, spoiled.length - 1);
    for (const { name } of (await client.db().admin().listDatabases()).databases)
      await client
        .db(name)
        .collection<{ _id: string }>('ledger_time_stamps')
        .updateOne({ _id: checkpoint_id }, { $set: { reply: spoiled.toString('base64') } });
    await client.close();
    const edited = await start(stamping(authority.ca));
    expect(await verdictOf(edited)).toMatchObject({
      verdict: 'VALID_UNANCHORED',
      not_checked: expect.arrayContaining([expect.objectContaining({ what: 'the time-stamp of a checkpoint' })]),
    });
    await service.stop();
  });
});
