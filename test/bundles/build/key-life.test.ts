import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { download, eventOf, postEvents, sealed, verifiedOffline } from '../bundles-kit.js';

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.stop());

interface Case {
  readonly http: Http;
  readonly tenantId: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
  readonly bundle: any;
  /** Identifier of the key that signed it. */
  readonly keyId: string;
}

/** A separate tenant with a sealed bundle. */
async function sealedCase(): Promise<Case> {
  const { http, tenantId } = await freshTenant(service.operator, ['admin']);
  await postEvents(http, [eventOf('M-1', 1)]);
  const bundle = await sealed(http, { scope: { member_id: 'M-1' } });
  const keys = (await http.get('/v1/signing-keys?purpose=BUNDLE')).json.items;
  const key = keys.find(({ thumbprint }: { thumbprint: string }) => thumbprint === bundle.signing_key_id);
  return { http, tenantId, bundle, keyId: key.key_id };
}

const verified = async ({ http, bundle }: Case) =>
  (await http.post(`/v1/bundles/${bundle.bundle_id}/verify-signature`, {})).json;
const checkOf = (verdict: { checks: { name: string }[] }) => verdict.checks.find(({ name }) => name === 'key-status');

/** The key of a bundle as everybody may read it, without a key of the service. */
async function published({ tenantId, http, bundle }: Case) {
  const { keys } = await fetch(`${http.url}/v1/signing-keys/jwks?tenant_id=${tenantId}`).then(
    (answer) =>
      answer.json() as Promise<{
        keys: { thumbprint: string; compromised_from?: string; history: { change: string }[] }[];
      }>,
  );
  return keys.find(({ thumbprint }) => thumbprint === bundle.signing_key_id);
}
const changesOf = async (one: Case) => (await published(one))?.history.map(({ change }) => change);

describe('a bundle keeps verifying', () => {
  it('when its key is rotated, and the new key signs later bundles', async () => {
    const old = await sealedCase();
    const { http, keyId } = old;
    const next = (await http.post('/v1/signing-keys', { purpose: 'BUNDLE' })).json;
    await http.post(`/v1/signing-keys/${next.key_id}/activate`, {});
    expect((await http.get(`/v1/signing-keys/${keyId}`)).json.status).toBe('RETIRED');
    const verdict = await verified(old);
    expect(verdict).toMatchObject({ valid: true });
    expect(checkOf(verdict)).toMatchObject({ ok: true, detail: expect.stringContaining('rotated since') });
    expect(await changesOf(old)).toEqual(['CREATED', 'ACTIVATED', 'ROTATED']);
    const later = await sealed(http, { scope: { member_id: 'M-1' } });
    expect(later.signing_key_id).toBe(next.thumbprint);
    expect((await verified({ ...old, bundle: later })).valid).toBe(true);
  });

  it('when its key is retired, and the next bundle has a new key', async () => {
    const old = await sealedCase();
    await old.http.post(`/v1/signing-keys/${old.keyId}/retire`, {});
    const verdict = await verified(old);
    expect(verdict.valid).toBe(true);
    expect(checkOf(verdict)).toMatchObject({ ok: true, detail: expect.stringContaining('retired since') });
    expect(await changesOf(old)).toEqual(['CREATED', 'ACTIVATED', 'RETIRED']);
    expect((await sealed(old.http, { scope: { member_id: 'M-1' } })).signing_key_id).not.toBe(
      old.bundle.signing_key_id,
    );
  });

  it('when its key is revoked from a later time on', async () => {
    const old = await sealedCase();
    await old.http.post(`/v1/signing-keys/${old.keyId}/revoke`, { reason: 'CESSATION_OF_OPERATION' });
    const verdict = await verified(old);
    expect(verdict.valid).toBe(true);
    expect(checkOf(verdict)).toMatchObject({ ok: true, detail: expect.stringContaining('revoked since') });
    expect(await changesOf(old)).toEqual(['CREATED', 'ACTIVATED', 'REVOKED']);
  });

  it('when its key is compromised from a later time on, which the report states', async () => {
    const old = await sealedCase();
    await old.http.post(`/v1/signing-keys/${old.keyId}/revoke`, { reason: 'KEY_COMPROMISE' });
    const verdict = await verified(old);
    expect(verdict.valid).toBe(true);
    expect(checkOf(verdict)).toMatchObject({ ok: true, detail: expect.stringContaining('known to others later') });
    expect(await changesOf(old)).toEqual(['CREATED', 'ACTIVATED', 'COMPROMISED']);
    expect(await published(old)).toMatchObject({ status: 'REVOKED', compromised_from: expect.any(String) });
  });
});

describe('a bundle does not verify', () => {
  it.each([
    ['UNSPECIFIED', 'revoked with effect from before', 'REVOKED'],
    ['KEY_COMPROMISE', 'may have been known to others at the time', 'COMPROMISED'],
  ])('if its key is revoked (%s) with effect from before the seal', async (reason, words, change) => {
    const old = await sealedCase();
    const { http, keyId, bundle } = old;
    const { created_at } = (await http.get(`/v1/signing-keys/${keyId}`)).json;
    const revoked = await http.post(`/v1/signing-keys/${keyId}/revoke`, { reason, effective_at: created_at });
    expect(revoked.status).toBe(200);
    const verdict = await verified(old);
    expect(verdict.valid).toBe(false);
    expect(checkOf(verdict)).toMatchObject({ ok: false, detail: expect.stringContaining(words) });
    expect(await changesOf(old)).toEqual(['CREATED', 'ACTIVATED', change]);
    // The pinned key alone shows no revocation: an offline verifier needs the published keys.
    const zip = await download(http, bundle.bundle_id);
    expect((await verifiedOffline(zip, ['--key', bundle.signing_key_id])).exitCode).toBe(0);
  });
});
