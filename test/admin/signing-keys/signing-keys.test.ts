import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ed25519Verify } from '../../../shared/crypto/ed25519.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { AdminSubgraph } from '../../../subgraphs/admin/index.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ManualClock, RecordingSystemLedger } from '../../support/fakes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { signerFolder } from '../../support/signer.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { startAdmin } from '../admin-kit.js';

const SEGMENT = { purpose: 'SEGMENT' } as const;
const NO_SUCH_KEY = 'sgk_01JQ0000000000000000000009';

describe('/v1/signing-keys', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService();
  });
  afterAll(() => service.stop());

  const make = async (http: Http, purpose = 'BUNDLE') =>
    (await http.post('/v1/signing-keys', { purpose, algorithm: 'Ed25519' })).json;
  const act = (http: Http, keyId: string, action: string, body: unknown = {}) =>
    http.post(`/v1/signing-keys/${keyId}/${action}`, body);
  /** Acts on keys of this suite's purposes; the tenant's checkpoint key is the service's own, made when it is first needed. */
  const entries = async (http: Http) => {
    const { items } = (await http.get('/v1/events?source_system=_system&order=asc&limit=500')).json as {
      items: { event_type: string; payload: Record<string, unknown> }[];
    };
    return items.filter(({ payload }) => payload['purpose'] !== 'CHECKPOINT');
  };

  it('creates a PENDING key, activates it and retires only the former key of the same purpose', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const [first, second, other] = [await make(http), await make(http), await make(http, 'SEGMENT')];
    expect(first).toMatchObject({ status: 'PENDING', purpose: 'BUNDLE', algorithm: 'Ed25519', activated_at: null });
    expect(JSON.stringify(first)).not.toContain('seed');
    for (const key of [first, other, second]) {
      expect((await act(http, key.key_id, 'activate')).json).toMatchObject({ status: 'ACTIVE' });
    }
    const states = Object.fromEntries(
      (await http.get('/v1/signing-keys')).json.items
        .filter(({ purpose }: { purpose: string }) => purpose !== 'CHECKPOINT')
        .map((key: { key_id: string; status: string }) => [key.key_id, key.status]),
    );
    expect(states).toEqual({ [first.key_id]: 'RETIRED', [second.key_id]: 'ACTIVE', [other.key_id]: 'ACTIVE' });
    expect((await http.get(`/v1/signing-keys?purpose=BUNDLE&status=ACTIVE`)).json.items).toHaveLength(1);
    const types = (await entries(http)).map((entry) => entry.event_type).sort();
    expect(types).toEqual(
      [
        ...Array(3).fill('signing-key.activated'),
        ...Array(3).fill('signing-key.created'),
        'signing-key.retired',
      ].sort(),
    );
  });

  it('ignores repeated steps and returns INVALID_TRANSITION for steps outside the table', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const key = await make(http);
    expect((await act(http, key.key_id, 'activate')).json).toEqual((await act(http, key.key_id, 'activate')).json);
    await act(http, key.key_id, 'retire');
    const back = await act(http, key.key_id, 'activate');
    expect([back.status, back.json.code]).toEqual([409, 'INVALID_TRANSITION']);
    expect((await entries(http)).filter((entry) => entry.event_type === 'signing-key.activated')).toHaveLength(1);
  });

  it('leaves one key active after concurrent activations', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const keys = await Promise.all(Array.from({ length: 4 }, () => make(http)));
    const answers = await Promise.all(keys.map((key) => act(http, key.key_id, 'activate')));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    expect((await http.get('/v1/signing-keys?status=ACTIVE&purpose=BUNDLE')).json.items).toHaveLength(1);
    expect((await http.get('/v1/signing-keys?status=RETIRED')).json.items).toHaveLength(3);
  });

  it('requires a reason and an effective time that is not in the future for a revocation', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const key = await make(http);
    await act(http, key.key_id, 'activate');
    for (const body of [{}, { reason: 'BORED' }, { reason: 'KEY_COMPROMISE', effective_at: '2999-01-01T00:00:00Z' }]) {
      expect([body, (await act(http, key.key_id, 'revoke', body)).status]).toEqual([body, 400]);
    }
    const body = { reason: 'KEY_COMPROMISE', effective_at: key.created_at };
    const revoked = (await act(http, key.key_id, 'revoke', body)).json;
    expect(revoked).toMatchObject({ status: 'REVOKED', revocation_reason: 'KEY_COMPROMISE' });
    expect(revoked.revocation_effective_at).toBe(key.created_at);
    const [entry] = (await entries(http)).filter(({ event_type }) => event_type === 'signing-key.revoked');
    expect(entry?.payload).toMatchObject({ signing_key_id: key.key_id, effective_at: key.created_at });
    const set = (await http.get('/v1/signing-keys/jwks')).json;
    expect(set.keys[0]).toMatchObject({ kid: key.key_id, status: 'REVOKED', until: key.created_at });
  });

  it('ignores a repeated revocation and returns CONFLICT for another effective time', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const key = await make(http);
    const revoked = (await act(http, key.key_id, 'revoke', { reason: 'SUPERSEDED' })).json;
    const same = { reason: 'SUPERSEDED', effective_at: revoked.revocation_effective_at };
    for (const body of [{ reason: 'SUPERSEDED' }, same]) {
      expect((await act(http, key.key_id, 'revoke', body)).json).toEqual(revoked);
    }
    const earlier = new Date(Date.parse(revoked.revocation_effective_at) - 1).toISOString();
    const refused = await act(http, key.key_id, 'revoke', { reason: 'KEY_COMPROMISE', effective_at: earlier });
    expect([refused.status, refused.json.code]).toEqual([409, 'CONFLICT']);
    const acts = (await entries(http)).filter(({ event_type }) => event_type === 'signing-key.revoked');
    expect(acts).toHaveLength(1);
  });

  it("another tenant's key answers byte for byte as a missing one, on every route", async () => {
    const [mine, theirs] = [
      await freshTenant(service.operator, ['admin']),
      await freshTenant(service.operator, ['admin']),
    ];
    const foreign = (await make(theirs.http)).key_id as string;
    const told = async (keyId: string) => {
      const headers = { 'x-request-id': 'same' };
      const answers = [
        await mine.http.get(`/v1/signing-keys/${keyId}`, headers),
        await mine.http.post(`/v1/signing-keys/${keyId}/activate`, {}, headers),
        await mine.http.post(`/v1/signing-keys/${keyId}/retire`, {}, headers),
        await mine.http.post(`/v1/signing-keys/${keyId}/revoke`, { reason: 'UNSPECIFIED' }, headers),
      ];
      return answers.map(({ status, text }) => [status, text]);
    };
    expect(await told(foreign)).toEqual(await told(NO_SUCH_KEY));
    expect((await told(foreign)).map(([status]) => status)).toEqual([404, 404, 404, 404]);
  });

  it('requires the scope admin, and a tenant from an operator', async () => {
    const { http } = await freshTenant(service.operator, ['events:read']);
    expect((await http.get('/v1/signing-keys')).json.code).toBe('FORBIDDEN');
    expect((await service.operator.get('/v1/signing-keys')).json.code).toBe('TENANT_REQUIRED');
  });

  it('publishes the key set by the presented key or by tenant_id; an unknown tenant has an empty set', async () => {
    const { http, tenantId } = await freshTenant(service.operator, ['admin']);
    const key = await make(http);
    await act(http, key.key_id, 'activate');
    const nobody = http.as(null);
    const own = await http.get('/v1/signing-keys/jwks');
    const open = await nobody.get(`/v1/signing-keys/jwks?tenant_id=${tenantId}`);
    expect([own.status, open.status]).toEqual([200, 200]);
    expect(open.json).toEqual(own.json);
    expect(own.json.keys).toEqual([
      {
        kty: 'OKP',
        crv: 'Ed25519',
        x: key.public_key,
        kid: key.key_id,
        use: 'sig',
        alg: 'EdDSA',
        purpose: 'BUNDLE',
        status: 'ACTIVE',
        from: expect.any(String),
        until: null,
        thumbprint: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        history: ['CREATED', 'ACTIVATED'].map((change) => ({ change, at: expect.any(String) })),
      },
    ]);
    expect((await nobody.get('/v1/signing-keys/jwks?tenant_id=never-made')).json).toEqual({ keys: [] });
    expect((await nobody.get('/v1/signing-keys/jwks')).json.code).toBe('TENANT_REQUIRED');
    expect((await http.as('wrong').get(`/v1/signing-keys/jwks?tenant_id=${tenantId}`)).status).toBe(401);
    const stranger = await freshTenant(service.operator, ['admin']);
    expect((await stranger.http.get(`/v1/signing-keys/jwks?tenant_id=${tenantId}`)).json.code).toBe('TENANT_MISMATCH');
  });
});

describe('signing', () => {
  let server: TestServer;
  let one: AdminSubgraph;
  let two: AdminSubgraph;
  const clock = new ManualClock();
  const systemLedger = new RecordingSystemLedger();
  const tenant = (name: string) => `sign-${name}` as TenantId;
  const message = Buffer.from('a manifest');

  beforeAll(async () => {
    server = await startTestServer();
    ({ admin: one } = await startAdmin(await server.connect('signing'), { clock, systemLedger }));
    ({ admin: two } = await startAdmin(await server.connect('signing'), { clock, systemLedger }));
  });
  afterAll(async () => {
    await one.close();
    await two.close();
    await server.stop();
  });

  it('creates a key on first use; concurrent callers in two processes get the same one', async () => {
    const asked = Array.from({ length: 12 }, (_, n) =>
      (n % 2 ? one : two).signingKeys.activeKey(tenant('a'), 'SEGMENT'),
    );
    const ids = new Set((await Promise.all(asked)).map((key) => key.key_id));
    expect(ids.size).toBe(1);
    const types = systemLedger.typesOf(tenant('a'));
    expect(types.sort()).toEqual(['signing-key.activated', 'signing-key.created']);
    const other = await one.signingKeys.activeKey(tenant('a'), 'BUNDLE');
    expect(ids.has(other.key_id)).toBe(false);
  });

  it('makes signatures that the public key verifies in any process and with node alone', async () => {
    const key = await one.signingKeys.activeKey(tenant('b'), 'SEGMENT');
    const signature = await two.signingKeys.sign(key.key_id, message, SEGMENT);
    expect(signature).toHaveLength(64);
    const known = await one.signingKeys.publicKey(key.key_id);
    expect(known).toEqual(key);
    expect(ed25519Verify(known.public_key, message, signature)).toBe(true);
    expect(ed25519Verify(known.public_key, Buffer.from('another'), signature)).toBe(false);
  });

  it('stores no private key in the database', async () => {
    const key = await one.signingKeys.activeKey(tenant('c'), 'SEGMENT');
    const { db } = await server.connect('signing');
    const row = await db.collection<{ _id: string }>('signing_keys').findOne({ _id: key.key_id });
    expect(Object.keys(row ?? {}).filter((name) => name.includes('seed'))).toEqual([]);
    const kept = JSON.parse(await readFile(join(signerFolder(), 'keys', `${key.key_id}.json`), 'utf8'));
    expect(kept).toMatchObject({ x: key.public_key.x, tenant_id: key.tenant_id, purpose: 'SEGMENT' });
  });

  it('fails for an inactive key and a missing key', async () => {
    await expect(one.signingKeys.sign(NO_SUCH_KEY, message, SEGMENT)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const key = await one.signingKeys.activeKey(tenant('d'), 'SEGMENT');
    const { db } = await server.connect('signing');
    await db
      .collection<{ _id: string }>('signing_keys')
      .updateOne({ _id: key.key_id }, { $set: { status: 'REVOKED' } });
    await expect(two.signingKeys.sign(key.key_id, message, SEGMENT)).rejects.toMatchObject({
      code: 'INVALID_TRANSITION',
    });
    const next = await two.signingKeys.activeKey(tenant('d'), 'SEGMENT');
    expect(next.key_id).not.toBe(key.key_id);
    expect((await two.signingKeys.sign(next.key_id, message, SEGMENT)).length).toBe(64);
  });
});
