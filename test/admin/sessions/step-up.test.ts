import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { FRESH_SIGN_IN_MS } from '../../../shared/auth/step-up.js';
import { type Answer, freshTenant, Http } from '../../support/http.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../../support/service-process.js';

// A session does sensitive acts only for a short time after its sign-in. The service runs on a clock that the test moves.

let folder: string;
let service: ServiceProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'step-up-'));
  service = await startServiceProcess(join(folder, 'data'), {
    NODE_OPTIONS: `--import=${pathToFileURL(repositoryFile('test/support/clock-ahead.mjs')).href}`,
    CLOCK_STEP_MS: String(FRESH_SIGN_IN_MS + 1_000),
    SERVICE_REDACTION_TWO_PEOPLE: 'false',
  });
}, 240_000);
afterAll(async () => {
  await service.kill();
  await rm(folder, { recursive: true, force: true });
});

const signIn = async (http: Http): Promise<string> => {
  const opened = await http.post('/v1/session', {}, { origin: service.url });
  return (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
};
const post = (cookie: string, path: string, body: unknown): Promise<Answer> =>
  new Http(service.url, null).post(path, body, { cookie, origin: service.url });

describe('an old sign-in', () => {
  it('releases no hold, applies no redaction and makes no key, until the person signs in again; reads go on', async () => {
    const operator = new Http(service.url, TEST_OPERATOR_KEY);
    const { http, keyId } = await freshTenant(operator, ['admin', 'events:write', 'documents:unredacted']);
    const old = await signIn(http);
    const event = await http.post('/v1/events', {
      event_family: 'claim',
      event_type: 'claim_submitted',
      source_system: 'a',
      source_record_id: 'r-1',
      member_id: 'M-1',
      event_effective_timestamp: '2026-03-02T10:00:00Z',
      payload: { note: 'to be hidden' },
    });
    const hold = await http.post('/v1/legal-holds', {
      name: 'Hold',
      reason: 'Complaint served.',
      scope: { member_ids: ['M-1'] },
    });
    const redaction = await http.post('/v1/redactions', {
      subject: { kind: 'EVENT', id: event.json.event_id },
      reason: 'privacy',
      basis: 'privacy',
      pointers: ['/payload/note'],
    });
    expect([event.status, hold.status, redaction.status]).toEqual([200, 200, 200]);
    service.process.kill('SIGUSR2');
    const acts: readonly (readonly [string, unknown])[] = [
      [`/v1/redactions/${redaction.json.redaction_id}/apply`, {}],
      [
        `/v1/legal-holds/${hold.json.hold_id}/release`,
        { authority: { kind: 'COURT_ORDER', reference: 'x' }, reason: 'over', released_by: 'counsel' },
      ],
      ['/v1/api-keys', { name: 'another', scopes: ['events:read'] }],
      [`/v1/api-keys/${keyId}/rotate`, { grace_seconds: 3_600 }],
    ];
    for (const [path, body] of acts) {
      expect(await post(old, path, body)).toMatchObject({ status: 403, json: { code: 'STEP_UP_REQUIRED' } });
    }
    expect((await new Http(service.url, null).get('/v1/events', { cookie: old })).status).toBe(200);
    const fresh = await signIn(http);
    for (const [path, body] of acts) expect([path, (await post(fresh, path, body)).status]).toEqual([path, 200]);
  });
});
