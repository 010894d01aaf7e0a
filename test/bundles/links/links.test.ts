import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { type Answer, freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { applied, type People, peopleOf } from '../../vault/redactions/redaction-kit.js';
import { download, eventOf, postEvents, sealed } from '../bundles-kit.js';

const LINK = { recipient: 'Roe & Partners LLP', purpose: 'Discovery in No. 24-cv-0001', expires_in_hours: 72 };
const OTHER_SECRET = 'A'.repeat(43);

let service: WholeService;
let database: Database;
/** A party without a key. */
let party: Http;
beforeAll(async () => {
  service = await startWholeService({ SERVICE_FAILED_LOGINS_PER_MINUTE: '1000' });
  database = await connectDatabase(service.databaseUri);
  party = service.operator.as(null);
}, 180_000);
afterAll(async () => {
  await database.close();
  await service.stop();
});

interface Desk {
  readonly all: People;
  readonly bundleId: string;
  readonly eventId: string;
}

async function desk(purpose?: string): Promise<Desk> {
  const all = await peopleOf(service.operator);
  const [eventId = ''] = await postEvents(all.clerk, [eventOf('M-1', 1, { seen_by: 'Wilhelmina' })]);
  const bundle = await sealed(all.clerk, { scope: { member_id: 'M-1' }, ...(purpose && { purpose }) });
  return { all, bundleId: bundle.bundle_id, eventId };
}

async function shared(http: Http, bundleId: string, more: object = {}): Promise<Document> {
  const answer = await http.post(`/v1/bundles/${bundleId}/links`, { ...LINK, ...more });
  if (answer.status !== 201) throw new Error(`no link: ${answer.status} ${answer.text}`);
  return answer.json;
}

async function keyOf(all: People, body: object): Promise<{ readonly http: Http; readonly keyId: string }> {
  const made = await service.operator.post('/v1/api-keys', { tenant_id: all.tenantId, name: 'maker', ...body });
  return { http: service.operator.as(made.json.api_key), keyId: made.json.key_id };
}

const custodyOf = async ({ all, bundleId }: Desk, action: string): Promise<readonly Document[]> => {
  const { json } = await all.clerk.get(`/v1/custody?subject_kind=BUNDLE&subject_id=${bundleId}&action=${action}`);
  return json.items;
};

/** The answer without the part that is different in each. */
const said = ({ status, json }: Answer) => ({ status, json: { ...json, request_id: '' } });

const NOTHING = {
  status: 404,
  json: expect.objectContaining({
    code: 'NOT_FOUND',
    message: 'This link does not exist or is no longer valid. Ask the sender for a new one.',
  }),
};

describe('a link to a bundle', () => {
  it('gives the sealed bytes to a party without a key, and names the recipient in custody', async () => {
    const at = await desk();
    const { token, url, ...link } = await shared(at.all.clerk, at.bundleId, { max_downloads: 3 });
    expect(url).toBe(`/v1/shared-bundles/${token}`);
    expect(link).toMatchObject({
      ...{ recipient: LINK.recipient, purpose: LINK.purpose },
      status: 'ACTIVE',
      downloads: 0,
    });
    const response = await fetch(`${party.url}${url}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.equals(await download(at.all.clerk, at.bundleId))).toBe(true);
    const about = { recipient: LINK.recipient, purpose: LINK.purpose, member_ids: ['M-1'] };
    expect(await custodyOf(at, 'SHARE')).toMatchObject([{ ...about, detail: { link_id: link['link_id'] } }]);
    expect(await custodyOf(at, 'DOWNLOAD_BUNDLE')).toMatchObject([
      { ...about, actor: { type: 'SERVICE', id: 'service:bundle-links' }, detail: { link_id: link['link_id'] } },
      { actor: { type: 'KEY' } },
    ]);
  });

  it('answers HEAD, If-None-Match and Range like the download, and counts answers with bytes alone', async () => {
    const at = await desk();
    const { url } = await shared(at.all.clerk, at.bundleId, { max_downloads: 2 });
    const head = await fetch(`${party.url}${url}`, { method: 'HEAD' });
    const etag = head.headers.get('etag') ?? '';
    expect({ status: head.status, size: Number(head.headers.get('content-length')) > 0 }).toEqual({
      status: 200,
      size: true,
    });
    const same = await party.get(url, { 'if-none-match': etag });
    expect({ status: same.status, cache: same.headers.get('cache-control') }).toEqual({
      status: 304,
      cache: 'private, no-store',
    });
    expect((await party.get(url, { range: 'bytes=999999999-' })).status).toBe(416);
    const links = `/v1/bundles/${at.bundleId}/links`;
    expect((await at.all.clerk.get(links)).json.items).toMatchObject([{ downloads: 0, status: 'ACTIVE' }]);
    const part = await party.get(url, { range: 'bytes=0-3' });
    expect({ status: part.status, text: part.text }).toEqual({ status: 206, text: 'PK\u0003\u0004' });
    expect((await party.get(url, { range: 'bytes=4-7' })).status).toBe(206);
    expect((await at.all.clerk.get(links)).json.items).toMatchObject([{ downloads: 2, status: 'USED_UP' }]);
    expect(said(await party.get(url))).toEqual(NOTHING);
    expect(await custodyOf(at, 'DOWNLOAD_BUNDLE')).toHaveLength(2);
  });

  it('shows its token once: no list, no ledger entry, no custody and no row has it', async () => {
    const at = await desk();
    const { token, link_id } = await shared(at.all.clerk, at.bundleId);
    const listed = await at.all.clerk.get(`/v1/bundles/${at.bundleId}/links`);
    expect(listed.json.items.map((one: Document) => one['link_id'])).toEqual([link_id]);
    const entries = await at.all.clerk.get(`/v1/events?source_system=_records&source_record_id=bundle-link/${link_id}`);
    expect(entries.json.items).toHaveLength(1);
    const row = await database.db.collection<Document & { _id: string }>('bundle_links').findOne({ _id: link_id });
    const secret = String(token).slice(-43);
    const texts = [listed.text, entries.text, JSON.stringify(row), JSON.stringify(await custodyOf(at, 'SHARE'))];
    for (const text of texts) expect(text).not.toContain(secret);
  });

  it('gives the same token when the same request is sent again under its Idempotency-Key', async () => {
    const at = await desk();
    const send = () =>
      at.all.clerk.post(`/v1/bundles/${at.bundleId}/links`, LINK, {
        'idempotency-key': '0b6b3ec4-3c0f-4d7b-9d4e-6f0d6f3c1a11',
      });
    const first = await send();
    const again = await send();
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.json.token).toBe(first.json.token);
    expect((await at.all.clerk.get(`/v1/bundles/${at.bundleId}/links`)).json.items).toHaveLength(1);
  });

  it('allows as many downloads as it has left, also to parties at the same time', async () => {
    const at = await desk();
    const { url } = await shared(at.all.clerk, at.bundleId, { max_downloads: 2 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => party.get(url)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 404, 404, 404, 404]);
    expect(await custodyOf(at, 'DOWNLOAD_BUNDLE')).toHaveLength(2);
  });
});

describe('a token that opens nothing', () => {
  it('has one answer: unknown, with another secret, malformed, and revoked', async () => {
    const at = await desk();
    const { token, url, link_id } = await shared(at.all.clerk, at.bundleId);
    const path = `/v1/bundles/${at.bundleId}/links/${link_id}`;
    const other = String(token).slice(0, -43);
    expect((await at.all.clerk.call(path, { method: 'DELETE' })).json).toMatchObject({ status: 'REVOKED' });
    expect((await at.all.clerk.call(path, { method: 'DELETE' })).json).toMatchObject({
      status: 'REVOKED',
      revision: 2,
    });
    const unknown = `ebl_01JQ00000000000000000000ZZ_${OTHER_SECRET}`;
    for (const tried of [token, `${other}${OTHER_SECRET}`, unknown, 'x', other]) {
      expect(said(await party.get(`/v1/shared-bundles/${tried}`))).toEqual(NOTHING);
    }
    expect((await party.call(url, { method: 'HEAD' })).status).toBe(404);
    expect(await custodyOf(at, 'UNSHARE')).toMatchObject([{ recipient: LINK.recipient, detail: { link_id } }]);
    expect(await custodyOf(at, 'DOWNLOAD_BUNDLE')).toEqual([]);
  });

  it('is every token of a key that was revoked, of an actor without the role, and of a suspended tenant', async () => {
    const at = await desk();
    const key = await keyOf(at.all, { scopes: ['bundles:export'] });
    const counsel = { tenant_id: at.all.tenantId, name: 'Counsel', role_ids: ['legal'] };
    const actor = await service.operator.post('/v1/actors', counsel);
    const person = await keyOf(at.all, { scopes: ['bundles:export'], actor_id: actor.json.actor_id });
    const byKey = await shared(key.http, at.bundleId);
    const byActor = await shared(person.http, at.bundleId);
    const byClerk = await shared(at.all.clerk, at.bundleId);
    for (const { url } of [byKey, byActor, byClerk]) expect((await party.get(url)).status).toBe(200);
    expect((await at.all.clerk.call(`/v1/api-keys/${key.keyId}`, { method: 'DELETE' })).status).toBe(200);
    const suspended = await at.all.clerk.call(`/v1/actors/${actor.json.actor_id}`, {
      method: 'PATCH',
      body: { status: 'SUSPENDED' },
    });
    expect(suspended.status).toBe(200);
    for (const { url } of [byKey, byActor]) expect(said(await party.get(url))).toEqual(NOTHING);
    expect((await party.get(byClerk['url'])).status).toBe(200);
    const tenant = await service.operator.call(`/v1/tenants/${at.all.tenantId}`, {
      method: 'PATCH',
      body: { status: 'SUSPENDED' },
    });
    expect(tenant.status).toBe(200);
    expect(said(await party.get(byClerk['url']))).toEqual(NOTHING);
  });

  it('is one from an address that has tried too many', async () => {
    const strict = await startWholeService({ SERVICE_FAILED_LOGINS_PER_MINUTE: '3' });
    try {
      const guess = (n: number) => `/v1/shared-bundles/ebl_01JQ0000000000000000000${100 + n}_${OTHER_SECRET}`;
      const statuses: number[] = [];
      for (let n = 0; n < 5; n++) statuses.push((await strict.operator.as(null).get(guess(n))).status);
      expect(statuses).toEqual([404, 404, 404, 429, 429]);
    } finally {
      await strict.stop();
    }
  });
});

describe('a link over records that were hidden since', () => {
  it('is refused after a redaction, also when its maker reads originals, and names no record', async () => {
    const at = await desk();
    const { http: trusted } = await keyOf(at.all, { scopes: ['bundles:export', 'documents:unredacted'] });
    const { url } = await shared(trusted, at.bundleId);
    await applied(at.all, { subject: { kind: 'EVENT', id: at.eventId }, pointers: ['/payload/seen_by'] });
    expect((await trusted.get(`/v1/bundles/${at.bundleId}/download`)).status).toBe(200);
    const refused = await party.get(url);
    expect(refused).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } });
    expect(Object.keys(refused.json).sort()).toEqual(['code', 'message', 'request_id', 'status', 'title', 'type']);
    const again = await trusted.post(`/v1/bundles/${at.bundleId}/links`, LINK);
    expect(again).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } });
  });

  it('is refused after the member denies the purpose of the bundle', async () => {
    const at = await desk('RESEARCH');
    const { url } = await shared(at.all.clerk, at.bundleId);
    expect((await party.get(url)).status).toBe(200);
    await at.all.clerk.post('/v1/consent', { member_id: 'M-1', purpose: 'RESEARCH', decision: 'DENY' });
    expect(await party.get(url)).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } });
  });
});

describe('POST /v1/bundles/{id}/links', () => {
  it.each([
    ['no time', { expires_in_hours: 0 }, '/expires_in_hours'],
    ['more than a month', { expires_in_hours: 721 }, '/expires_in_hours'],
    ['no recipient', { recipient: ' ' }, '/recipient'],
    ['a long recipient', { recipient: 'x'.repeat(201) }, '/recipient'],
    ['no downloads', { max_downloads: 0 }, '/max_downloads'],
    ['too many downloads', { max_downloads: 1_001 }, '/max_downloads'],
  ])('rejects %s', async (_what, members, path) => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const answer = await http.post('/v1/bundles/bdl_01JQ00000000000000000000ZZ/links', { ...LINK, ...members });
    expect(answer).toMatchObject({ status: 400, json: { errors: [{ path }] } });
  });

  it('needs the scope of the download, and a sealed bundle', async () => {
    const at = await desk();
    const reader = (await keyOf(at.all, { scopes: ['bundles:read'] })).http;
    expect((await reader.post(`/v1/bundles/${at.bundleId}/links`, LINK)).status).toBe(403);
    const { link_id } = await shared(at.all.clerk, at.bundleId);
    const path = `/v1/bundles/${at.bundleId}/links/${link_id}`;
    expect((await reader.call(path, { method: 'DELETE' })).status).toBe(403);
    expect((await reader.get(`/v1/bundles/${at.bundleId}/links`)).json.items).toHaveLength(1);
    const second = await sealed(at.all.clerk, { scope: { member_id: 'M-1' } });
    const elsewhere = `/v1/bundles/${second.bundle_id}/links/${link_id}`;
    expect((await at.all.clerk.call(elsewhere, { method: 'DELETE' })).status).toBe(404);
  });
});

describe('the row of a link', () => {
  it.each([
    ['a later end', { expires_at: new Date('2099-01-01T00:00:00.000Z') }],
    ['more downloads', { max_downloads: 1_000 }],
    ['another status', { status: 'ACTIVE' }],
    ['another token', { token_sha256: '0'.repeat(64) }],
    ['another grantor', { grantor: { key_id: 'key_01JQ00000000000000000000ZZ', session_id: null } }],
  ])('opens nothing with %s written into the database', async (_what, edit) => {
    const at = await desk();
    const { url, link_id } = await shared(at.all.clerk, at.bundleId);
    if ('status' in edit) await at.all.clerk.call(`/v1/bundles/${at.bundleId}/links/${link_id}`, { method: 'DELETE' });
    await database.db
      .collection<Document & { _id: string }>('bundle_links')
      .updateOne({ _id: link_id }, { $set: edit });
    expect(await party.get(url)).toMatchObject({ status: 500, json: { code: 'INTEGRITY_FAILURE' } });
    expect((await at.all.clerk.get(`/v1/bundles/${at.bundleId}/links`)).status).toBe(500);
  });
});
