import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { type Client, OpenFeature } from '@openfeature/server-sdk';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

let service: WholeService;
let http: Http;
let tenantId: string;

beforeAll(async () => {
  service = await startWholeService();
  ({ http, tenantId } = await freshTenant(service.operator, ['admin']));
});

afterAll(async () => {
  await OpenFeature.close();
  await service.stop();
});

const BOOLEAN = { type: 'boolean', variants: { on: true, off: false }, default_variant: 'off' };
const RULED = {
  ...BOOLEAN,
  targeting: [
    { when: { '==': [{ var: 'jurisdiction' }, 'US-CA'] }, variant: 'on' },
    { split: [{ variant: 'on', percent: 100 }], when: { '==': [{ var: 'beta' }, true] } },
  ],
};

const put = (key: string, body: unknown, as = http) => as.call(`/v1/feature-flags/${key}`, { method: 'PUT', body });

describe('/v1/feature-flags', () => {
  it('creates, reads, lists, changes, archives and restores a flag with its history', async () => {
    const made = await put('life', RULED);
    expect(made).toMatchObject({ status: 200, json: { key: 'life', tenant_id: tenantId, revision: 1, enabled: true } });
    expect(made.json.targeting).toEqual(RULED.targeting);
    expect((await http.get('/v1/feature-flags/life')).json).toEqual(made.json);
    const same = await put('life', RULED);
    expect(same.json).toEqual(made.json);
    const off = await put('life', { ...RULED, enabled: false, owner: 'analytics', revision: 1 });
    expect(off.json).toMatchObject({ revision: 2, enabled: false, owner: 'analytics' });
    expect(off.json.history.at(-1)).toMatchObject({ action: 'feature-flag.updated', changed: ['enabled', 'owner'] });
    const listed = await http.get('/v1/feature-flags?enabled=false&owner=analytics');
    expect(listed.json.items.map((item: { key: string }) => item.key)).toEqual(['life']);
    const gone = await http.call('/v1/feature-flags/life', { method: 'DELETE' });
    expect(gone).toMatchObject({ status: 200, json: { revision: 3 } });
    for (const call of [
      () => http.get('/v1/feature-flags/life'),
      () => http.call('/v1/feature-flags/life', { method: 'DELETE' }),
    ]) {
      expect(await call()).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
    }
    const back = await put('life', BOOLEAN);
    expect(back.json).toMatchObject({ revision: 4, targeting: [] });
    expect(back.json.history.map((change: { action: string }) => change.action)).toEqual([
      'feature-flag.created',
      'feature-flag.updated',
      'feature-flag.archived',
      'feature-flag.restored',
    ]);
    const entries = await http.get('/v1/events?source_system=_platform&event_family=feature-flag&order=asc');
    const mine = entries.json.items.filter((item: { payload: { key: string } }) => item.payload.key === 'life');
    expect(mine.map((item: { payload: { revision: number } }) => item.payload.revision).sort()).toEqual([1, 2, 3, 4]);
    expect(JSON.stringify(mine)).not.toContain('US-CA');
  });

  it('continues pages after the last item', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    for (const key of ['p1', 'p2', 'p3']) await put(key, BOOLEAN, own);
    const first = await own.get('/v1/feature-flags?limit=2&order=asc');
    const second = await own.get(`/v1/feature-flags?limit=2&order=asc&cursor=${first.json.next_cursor}`);
    const keys = [...first.json.items, ...second.json.items].map((item: { key: string }) => item.key);
    expect([...keys].sort()).toEqual(['p1', 'p2', 'p3']);
    expect(second.json.next_cursor).toBeNull();
  });

  it('evaluates one flag as an object, all flags as a list, and returns errors as answers', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    await put('one', RULED, own);
    await put('two', { type: 'object', variants: { v: { a: [1] } }, default_variant: 'v' }, own);
    const evaluate = async (body: unknown) => (await own.post('/v1/feature-flags/evaluate', body)).json;
    expect(await evaluate({ key: 'one', context: { jurisdiction: 'US-CA' } })).toMatchObject({
      key: 'one',
      value: true,
      variant: 'on',
      reason: 'TARGETING_MATCH',
      error_code: null,
      metadata: { revision: 1 },
    });
    expect(await evaluate({ key: 'one', context: { targeting_key: 'u', beta: true } })).toMatchObject({
      reason: 'SPLIT',
    });
    expect(await evaluate({ key: 'one', context: { beta: true } })).toMatchObject({
      error_code: 'TARGETING_KEY_MISSING',
    });
    expect(await evaluate({ key: 'one', type: 'number' })).toMatchObject({
      reason: 'ERROR',
      error_code: 'TYPE_MISMATCH',
    });
    expect(await evaluate({ key: 'none' })).toMatchObject({ value: null, error_code: 'FLAG_NOT_FOUND' });
    const all = await evaluate({ context: {} });
    expect(all.evaluations.map((item: { key: string; value: unknown }) => [item.key, item.value])).toEqual([
      ['one', false],
      ['two', { a: [1] }],
    ]);
  });
});

describe('/v1/feature-flags rejects', () => {
  it.each<[string, unknown, string]>([
    ['no variants', { type: 'boolean', default_variant: 'on' }, '/variants'],
    ['an unknown type', { ...BOOLEAN, type: 'date' }, '/type'],
    ['an unknown member', { ...BOOLEAN, colour: 'red' }, '/colour'],
    ['an unknown member of a rule', { ...BOOLEAN, targeting: [{ variant: 'on', who: 'all' }] }, '/targeting/0/who'],
    [
      'a rule that is none',
      { ...BOOLEAN, targeting: [{ when: { run: 'rm' }, variant: 'on' }] },
      '/targeting/0/when/run',
    ],
    ['a default that is no variant', { ...BOOLEAN, default_variant: 'x' }, '/default_variant'],
    ['101 percent', { ...BOOLEAN, targeting: [{ variant: 'on', percent: 101 }] }, '/targeting/0/percent'],
  ])('a flag with %s', async (_what, body, path) => {
    const refused = await put('wrong', body);
    expect(refused).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } });
    expect(refused.json.errors.map((fault: { path: string }) => fault.path)).toContain(path);
  });

  it('a key with invalid characters and a context that is not an object', async () => {
    expect((await put('a%20b', BOOLEAN)).status).toBe(400);
    expect((await http.post('/v1/feature-flags/evaluate', { context: 'me' })).status).toBe(400);
  });

  it('another revision than the current one with CONFLICT', async () => {
    await put('revised', BOOLEAN);
    expect((await put('revised', { ...BOOLEAN, enabled: false, revision: 7 })).json.code).toBe('CONFLICT');
    expect((await put('not-there', { ...BOOLEAN, revision: 1 })).json.code).toBe('CONFLICT');
  });

  it('no concurrent change: each one is a new revision', async () => {
    await put('raced', BOOLEAN);
    const owners = ['o1', 'o2', 'o3'];
    const answers = await Promise.all(owners.map((owner) => put('raced', { ...BOOLEAN, owner })));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(answers.map((answer) => answer.json.revision).sort()).toEqual([2, 3, 4]);
  });

  it('a put by a read-only key, and every request of a key without flag scopes', async () => {
    const reader = await service.operator.post('/v1/api-keys', {
      tenant_id: tenantId,
      name: 'r',
      scopes: ['flags:read'],
    });
    const plain = await service.operator.post('/v1/api-keys', {
      tenant_id: tenantId,
      name: 'p',
      scopes: ['events:read'],
    });
    const [read, none] = [http.as(reader.json.api_key), http.as(plain.json.api_key)];
    expect((await read.post('/v1/feature-flags/evaluate', {})).status).toBe(200);
    expect((await put('mine', BOOLEAN, read)).json.code).toBe('FORBIDDEN');
    expect((await none.get('/v1/feature-flags')).json.code).toBe('FORBIDDEN');
    expect((await none.post('/ofrep/v1/evaluate/flags', {})).status).toBe(403);
  });
});

describe('the OpenFeature protocol', () => {
  const one = (key: string, body: unknown, as = http) => as.post(`/ofrep/v1/evaluate/flags/${key}`, body);

  beforeAll(async () => {
    await put('ofrep', { ...RULED, owner: 'analytics' });
  });

  it('returns value, variant, reason and metadata of one flag', async () => {
    expect(await one('ofrep', { context: { targetingKey: 'u', jurisdiction: 'US-CA' } })).toMatchObject({
      status: 200,
      json: { key: 'ofrep', value: true, variant: 'on', reason: 'TARGETING_MATCH', metadata: { owner: 'analytics' } },
    });
  });

  it('returns 404 for an unknown flag and 400 for a failed one, in the form of the protocol', async () => {
    expect(await one('none', {})).toMatchObject({ status: 404, json: { key: 'none', errorCode: 'FLAG_NOT_FOUND' } });
    const missing = await one('ofrep', { context: { beta: true } });
    expect(missing).toMatchObject({ status: 400, json: { key: 'ofrep', errorCode: 'TARGETING_KEY_MISSING' } });
    expect((await one('ofrep', { context: [] })).json).toMatchObject({ errorCode: 'INVALID_CONTEXT' });
    const bulk = await http.post('/ofrep/v1/evaluate/flags', { context: 5 });
    expect(bulk).toMatchObject({ status: 400, json: { errorCode: 'INVALID_CONTEXT' } });
    expect((await one('ofrep', {}, http.as('wrong'))).status).toBe(401);
  });

  it('returns all flags with an ETag, 304 if unchanged, and a new ETag after a change', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    await put('bulk', RULED, own);
    const ask = (tag?: string) =>
      own.post('/ofrep/v1/evaluate/flags', { context: {} }, tag === undefined ? {} : { 'if-none-match': tag });
    const first = await ask();
    const tag = first.headers.get('etag') ?? '';
    expect(first).toMatchObject({ status: 200, json: { flags: [{ key: 'bulk', value: false, reason: 'DEFAULT' }] } });
    expect(tag).toMatch(/^"[0-9a-f]{64}"$/);
    const again = await ask(tag);
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
    await put('bulk', { ...RULED, enabled: false }, own);
    const changed = await ask(tag);
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(tag);
  });
});

describe("OpenFeature's own client", () => {
  let client: Client;

  beforeAll(async () => {
    await put('greeting', { type: 'string', variants: { a: 'Hello', b: 'Good day' }, default_variant: 'a' });
    await put('depth', { type: 'number', variants: { two: 2 }, default_variant: 'two' });
    await put('theme', { type: 'object', variants: { dark: { colour: 'black' } }, default_variant: 'dark' });
    const headers: [string, string][] = [['X-Api-Key', http.key ?? '']];
    await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: http.url, headers }));
    client = OpenFeature.getClient();
  });

  it('reads every type', async () => {
    expect(await client.getBooleanValue('ofrep', false, { jurisdiction: 'US-CA' })).toBe(true);
    expect(await client.getStringValue('greeting', '-')).toBe('Hello');
    expect(await client.getNumberValue('depth', 0)).toBe(2);
    expect(await client.getObjectValue('theme', {})).toEqual({ colour: 'black' });
  });

  it('sees reasons and variants', async () => {
    const details = await client.getBooleanDetails('ofrep', false, { targetingKey: 'u', beta: true });
    expect(details).toMatchObject({
      value: true,
      variant: 'on',
      reason: 'SPLIT',
      flagMetadata: { owner: 'analytics' },
    });
    expect(await client.getStringDetails('greeting', '-')).toMatchObject({ reason: 'STATIC', variant: 'a' });
  });

  it('returns its default with the error code', async () => {
    expect(await client.getBooleanDetails('none', true)).toMatchObject({ value: true, errorCode: 'FLAG_NOT_FOUND' });
    expect(await client.getBooleanDetails('greeting', true)).toMatchObject({ value: true, errorCode: 'TYPE_MISMATCH' });
    expect(await client.getBooleanDetails('ofrep', false, { beta: true })).toMatchObject({
      value: false,
      errorCode: 'TARGETING_KEY_MISSING',
    });
  });
});
