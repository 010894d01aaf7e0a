import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStoredArchive } from '../../../shared/evidence/edx/stored-archive.js';
import { freshTenant, type Http } from '../../support/http.js';
import { describeUnless, lackOf } from '../../support/needs.js';
import { opensslStamps, startTimeStampAuthority, type TimeStampAuthority } from '../../support/time-stamp-authority.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { download, eventOf, opened, postEvents, requested, sealed } from '../bundles-kit.js';

const withOpenssl = describeUnless(lackOf(opensslStamps(), 'openssl ts'));
const POLL_MS = 100;
const DEADLINE_MS = 150_000;

async function signatureOf(zip: Buffer): Promise<Buffer> {
  const archive = await openStoredArchive({
    sizeBytes: zip.length,
    async *read(start, end) {
      yield zip.subarray(start, end);
    },
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive.read('signature.sig')) chunks.push(chunk);
  return Buffer.concat(chunks);
}

withOpenssl('time-stamps by openssl ts', () => {
  let authority: TimeStampAuthority;
  let service: WholeService;
  let http: Http;

  beforeAll(async () => {
    authority = await startTimeStampAuthority();
    service = await startWholeService({
      SERVICE_TSA_URL: authority.url,
      SERVICE_TSA_ALLOW_HTTP: 'true',
      SERVICE_TSA_ALLOW_CIDRS: '127.0.0.0/8',
    });
    ({ http } = await freshTenant(service.operator, ['admin']));
    await postEvents(http, [eventOf('M-1', 1)]);
  });
  afterAll(async () => {
    await service.stop();
    await authority.stop();
  });

  const path = (bundleId: string): string => `/v1/bundles/${bundleId}/timestamp`;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
  async function until(bundleId: string, holds: (found: any) => boolean): Promise<any> {
    const deadlineMs = Date.now() + DEADLINE_MS;
    for (;;) {
      const { json } = await http.get(path(bundleId));
      if (holds(json)) return json;
      if (Date.now() > deadlineMs) throw new Error(`no time-stamp in time: ${JSON.stringify(json)}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  it('stamps a sealed bundle with a token over signature.sig that openssl accepts', async () => {
    const bundle = await sealed(http, { scope: { member_id: 'M-1' } });
    const found = await until(bundle.bundle_id, ({ status }) => status === 'OBTAINED');
    expect(found).toMatchObject({ bundle_id: bundle.bundle_id, policy: '1.2.3.4.1', authority: 'CN=Test authority' });
    const response = await fetch(`${http.url}${path(bundle.bundle_id)}`, {
      headers: { 'x-api-key': http.key ?? '', accept: 'application/timestamp-reply' },
    });
    expect(response.headers.get('content-type')).toBe('application/timestamp-reply');
    const reply = Buffer.from(await response.arrayBuffer());
    expect(reply.toString('base64')).toBe(found.reply);
    const zip = await download(http, bundle.bundle_id);
    expect(authority.verify(reply, await signatureOf(zip))).toContain('OK');
    // The token signs the signature: nothing of it is in the bundle.
    expect((await opened(zip)).names.join(' ')).not.toContain('timestamp');
  });

  it('retries a failed authority without failing the bundle', async () => {
    authority.answerWith({ status: 503, body: Buffer.from('closed') });
    const bundle = await sealed(http, { scope: { member_id: 'M-1' } });
    expect(bundle.status).toBe('SEALED');
    const waiting = await until(bundle.bundle_id, ({ attempts }) => attempts === 1);
    expect(waiting).toMatchObject({ status: 'PENDING', last_error: 'http_503', reply: null });
    const bare = await http.call(path(bundle.bundle_id), { headers: { accept: 'application/timestamp-reply' } });
    expect(bare).toMatchObject({ status: 409, json: { code: 'CONFLICT' } });
    authority.answerWith(null);
    const found = await until(bundle.bundle_id, ({ status }) => status === 'OBTAINED');
    expect(found.attempts).toBeGreaterThan(1);
    expect(found.last_error).toBeNull();
  });

  it('rejects a token over other content', async () => {
    const other = await authority.reply(
      Buffer.from(`30390201013031300d060960864801650304020105000420${'11'.repeat(32)}0101ff`, 'hex'),
    );
    authority.answerWith({ status: 200, body: other });
    const bundle = await sealed(http, { scope: { member_id: 'M-1' } });
    const waiting = await until(bundle.bundle_id, ({ attempts }) => attempts === 1);
    expect(waiting).toMatchObject({ status: 'PENDING', last_error: 'not_a_timestamp' });
    authority.answerWith(null);
  });
});

describe('without an authority', () => {
  let service: WholeService;
  let http: Http;
  beforeAll(async () => {
    service = await startWholeService();
    ({ http } = await freshTenant(service.operator, ['admin']));
  });
  afterAll(() => service.stop());

  it('returns NOT_FOUND for a sealed bundle, and NOT_SEALED for another', async () => {
    const bundle = await sealed(http, { scope: { member_id: 'M-1' } });
    expect((await http.get(`/v1/bundles/${bundle.bundle_id}/timestamp`)).json.code).toBe('NOT_FOUND');
    const fresh = await requested(http, { scope: { member_id: 'M-1' } });
    const answer = await http.get(`/v1/bundles/${fresh.bundle_id}/timestamp`);
    expect(['NOT_SEALED', 'NOT_FOUND']).toContain(answer.json.code);
  });
});
