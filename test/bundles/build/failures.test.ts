import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Binary, type Collection, type Db, MongoClient } from 'mongodb';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { download, ended, eventOf, postEvents, requested, sealed, verifiedOffline } from '../bundles-kit.js';

// Builds that end for good, what they leave behind, and how they begin again.

const MINUTE = 60_000;
const MOST_EVENTS = 3;

interface Row {
  readonly _id: string;
  readonly status: string;
  readonly claims?: number;
  readonly lease_token?: string;
  readonly frozen?: object;
}

let service: WholeService;
let client: MongoClient;
let db: Db;
let http: Http;
let tenantId: string;

beforeAll(async () => {
  service = await startWholeService({ SERVICE_MAX_BUNDLE_EVENTS: String(MOST_EVENTS) });
  client = await MongoClient.connect(service.databaseUri);
  db = client.db('eas');
  ({ http, tenantId } = await freshTenant(service.operator, ['admin']));
  await postEvents(
    http,
    Array.from({ length: MOST_EVENTS + 1 }, (_, n) => eventOf('M-many', n)),
  );
}, 3 * MINUTE);

afterAll(async () => {
  await client.close();
  await service.stop();
});

const failed = async (memberId: string) => ended(http, (await requested(http, of(memberId))).bundle_id);
const of = (memberId: string) => ({ scope: { member_id: memberId } });

/** Kinds of the platform events about a bundle, as receivers of webhooks would be sent them. */
const toldOf = async (bundleId: string): Promise<readonly string[]> => {
  const all = await db.collection('messages').find({ tenant_id: tenantId }).toArray();
  return all
    .filter((message) => JSON.stringify(message).includes(bundleId) || String(message['body']).includes(bundleId))
    .map((message) => String(message['type']))
    .sort();
};

const exceptionsOf = async (bundleId: string) =>
  (await http.get(`/v1/exceptions?kind=BUNDLE_FAILED&subject_id=${bundleId}`)).json.items as readonly {
    status: string;
    detail: object;
  }[];

describe('a bundle over more events than the setting allows', () => {
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the tests are about to judge.
  let tooLarge: any;
  beforeAll(async () => {
    tooLarge = await failed('M-many');
  }, MINUTE);

  it(
    'ends FAILED with the reason and the remedy, an exception and its platform events',
    async () => {
      expect(tooLarge).toMatchObject({ status: 'FAILED', failure: { code: 'BUNDLE_TOO_LARGE' } });
      expect(tooLarge.failure.message).toMatch(/narrow/);
      const { bundle_id } = tooLarge;
      const opened = await eventually(
        () => exceptionsOf(bundle_id),
        (found) => found.length > 0,
      );
      expect(opened).toMatchObject([{ status: 'OPEN', detail: { code: 'BUNDLE_TOO_LARGE' } }]);
      const told = await eventually(
        () => toldOf(bundle_id),
        (kinds) => kinds.includes('bundle.failed'),
      );
      expect(told).toEqual(expect.arrayContaining(['bundle.failed', 'bundle.requested']));
      expect(told).not.toContain('bundle.sealed');
    },
    2 * MINUTE,
  );

  it(
    'is sealed over a window that is narrow enough',
    async () => {
      const scope = { member_id: 'M-many', from: '2026-03-01T00:00:00Z', to: '2026-03-01T00:03:00Z' };
      const bundle = await sealed(http, { scope });
      expect(bundle.event_count).toBe(MOST_EVENTS);
      const told = await eventually(
        () => toldOf(bundle.bundle_id),
        (kinds) => kinds.includes('bundle.sealed'),
      );
      expect(told).toEqual(expect.arrayContaining(['bundle.requested', 'bundle.sealed']));
    },
    2 * MINUTE,
  );

  it.each([
    ['GET', 'download'],
    ['GET', 'edx'],
    ['GET', 'timestamp'],
    ['POST', 'verify-signature'],
  ])('returns 409 for %s %s', async (method, what) => {
    const { status, json } = await http.call(`/v1/bundles/${tooLarge.bundle_id}/${what}`, { method });
    expect([status, json.code]).toEqual([409, 'NOT_SEALED']);
  });

  it(
    'has no diff with another bundle, in either direction',
    async () => {
      const other = await sealed(http, of('M-other'));
      for (const [id, against] of [
        [tooLarge.bundle_id, other.bundle_id],
        [other.bundle_id, tooLarge.bundle_id],
      ]) {
        const { json } = await http.get(`/v1/bundles/${id}/diff?against=${against}`);
        expect(json).toMatchObject({ status: 409, code: 'NOT_SEALED' });
      }
    },
    MINUTE,
  );
});

describe('a bundle with damaged evidence', () => {
  const ledger = (): Collection<{ event_id: string; record: Binary }> => db.collection('ledger');

  /** FAILED for a record that was altered underneath the service; `mend` puts it back. */
  async function damaged(memberId: string, n: number) {
    const [eventId = ''] = await postEvents(http, [eventOf(memberId, n)]);
    const row = await ledger().findOne({ event_id: eventId });
    if (!row) throw new Error('no entry');
    await ledger().updateOne({ event_id: eventId }, { $set: { record: Buffer.from('{}') as never } });
    const bundle = await failed(memberId);
    const mend = () => ledger().updateOne({ event_id: eventId }, { $set: { record: row.record } });
    return { bundle, mend };
  }

  it(
    'ends FAILED, and is rebuilt under its id when the evidence is repaired',
    async () => {
      const { bundle, mend } = await damaged('M-hurt', 100);
      expect(bundle).toMatchObject({ status: 'FAILED', failure: { code: 'INTEGRITY_FAILURE' } });
      await mend();
      const again = await http.post(`/v1/bundles/${bundle.bundle_id}/regenerate`, {});
      expect([again.status, again.json]).toMatchObject([200, { bundle_id: bundle.bundle_id, status: 'REQUESTED' }]);
      expect(again.json.failure ?? null).toBeNull();
      const whole = await ended(http, bundle.bundle_id);
      expect(whole).toMatchObject({ status: 'SEALED', event_count: 1 });
      const { report } = await verifiedOffline(await download(http, bundle.bundle_id), ['--key', whole.signing_key_id]);
      expect(report).toMatchObject({ verdict: 'VALID', breaks: [] });
      const closed = await eventually(
        () => exceptionsOf(bundle.bundle_id),
        (found) => found.every(({ status }) => status === 'RESOLVED'),
      );
      expect(closed).toMatchObject([{ status: 'RESOLVED' }]);
    },
    3 * MINUTE,
  );

  it(
    'frozen under a key that was rotated since is frozen again and signed with the new key',
    async () => {
      const { bundle, mend } = await damaged('M-keys', 200);
      await mend();
      const rows = db.collection<Row>('bundles');
      const before = await rows.findOne({ _id: bundle.bundle_id });
      // No build can store its inputs, so that the new one stays requested.
      await db.command({ collMod: 'bundle_inputs', validator: { never: { $exists: true } } });
      await http.post(`/v1/bundles/${bundle.bundle_id}/regenerate`, {});
      const tried = () => rows.findOne({ _id: bundle.bundle_id });
      await eventually(tried, (row) => Number(row?.claims) > 0 && row?.lease_token === undefined);
      const next = (await http.post('/v1/signing-keys', { purpose: 'BUNDLE' })).json;
      await http.post(`/v1/signing-keys/${next.key_id}/activate`, {});
      // The state after a worker dies between freezing and sealing: the frozen content names the old key.
      await rows.updateOne(
        { _id: bundle.bundle_id },
        { $set: { ...(before?.frozen ? { frozen: before.frozen } : {}), next_attempt_at: new Date(), claims: 0 } },
      );
      await db.command({ collMod: 'bundle_inputs', validator: {} });
      expect(JSON.stringify(before)).not.toContain(next.key_id);
      await requested(http, of('M-wakes'));
      const whole = await ended(http, bundle.bundle_id);
      expect(whole).toMatchObject({ status: 'SEALED', signing_key_id: next.thumbprint });
      const { report } = await verifiedOffline(await download(http, bundle.bundle_id), ['--key', next.thumbprint]);
      expect(report).toMatchObject({ verdict: 'VALID', breaks: [] });
    },
    3 * MINUTE,
  );
});

it(
  'reports a damaged stored copy in verify-signature, and opens an exception',
  async () => {
    const bundle = await sealed(http, of('M-copy'));
    const hash = bundle.worm_blob_sha256;
    const worm = client.db('eas_worm');
    const blob = await worm.collection<{ file_id: string }>('blobs').findOne({ '_id.sha256': hash } as object);
    const chunks = worm.collection<{ data: Binary }>('worm_blobs.chunks');
    const first = { files_id: blob?.file_id ?? '', n: 0 };
    const data = Buffer.from((await chunks.findOne(first))?.data.buffer ?? []);
    data[data.length - 1] = (data.at(-1) ?? 0) ^ 1;
    expect((await chunks.updateOne(first, { $set: { data: data as never } })).modifiedCount).toBe(1);
    const { json } = await http.post(`/v1/bundles/${bundle.bundle_id}/verify-signature`, {});
    expect(json).toMatchObject({ valid: false, verdict: 'INVALID', breaks: 1, checks: [{ name: 'blob', ok: false }] });
    const { items } = (await http.get(`/v1/exceptions?kind=WORM_MISMATCH&subject_id=${hash}`)).json;
    // The scrub may have met the damage first; then the exception names no reader.
    expect(items).toMatchObject([{ status: 'OPEN', subject: { id: hash } }]);
  },
  2 * MINUTE,
);
