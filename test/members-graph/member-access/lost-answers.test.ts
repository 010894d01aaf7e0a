import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { RequestContext } from '../../../shared/auth/context.js';
import { effectiveScopes } from '../../../shared/auth/scopes.js';
import { MasterKey } from '../../../shared/crypto/master-key.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { requestCode, verifyCode } from '../../../subgraphs/members-graph/member-access/codes.js';
import type { AccessDeps } from '../../../subgraphs/members-graph/member-access/deps.js';
import { MAX_TRIES } from '../../../subgraphs/members-graph/member-access/domain.js';
import { codeStore, sessionStore } from '../../../subgraphs/members-graph/member-access/model.js';
import { checkToken, openSession, refreshSession } from '../../../subgraphs/members-graph/member-access/sessions.js';
import { startTestServer, type TestServer } from '../../support/database.js';

// What a process that died between the work and the answer has left: the same request comes again under its own name, and finds
// its work done. The clock is the test's.

const TENANT = 'lost' as TenantId;
const WORK = 'wrk_01JQ0000000000000000000007';
const relay: EffectRelay = { relay: async () => {} };

let server: TestServer;
let deps: AccessDeps;
let nowMs = Date.parse('2026-03-02T14:00:00Z');

beforeAll(async () => {
  server = await startTestServer();
  const { db } = await server.connect('eas');
  const randomness = systemRandomness();
  deps = {
    codes: codeStore({ db, outbox: relay }),
    sessions: sessionStore({ db, outbox: relay }),
    limits: { take: async () => null },
    contacts: async (_tenantId, member_id) => ({ member_id, emails: [], phones: [] }),
    send: () => {},
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
    ids: ulidIds(() => nowMs, randomness),
    randomness,
    masterKey: new MasterKey(Buffer.alloc(32, 7)),
    config: {
      notifier: {
        kind: 'log',
        webhook: null,
        smtp: null,
        codeInResponse: true,
        perMemberPerHour: 5,
        perAddressPerHour: 5,
      },
    },
  };
});

afterAll(() => server.stop());

const context = (workId: string | null = null): RequestContext => ({
  requestId: 'req',
  traceparent: null,
  workId,
  tenantId: TENANT,
  principal: {
    keyId: 'key_1',
    keyName: 'portal',
    actorId: null,
    tenantId: TENANT,
    grantedScopes: [],
    scopes: effectiveScopes([]),
  },
});

const INPUT = {
  kind: 'MEMBER',
  memberId: 'M-1',
  purpose: 'MEMBER_ACCESS',
  requestedBy: null,
  tokenSeconds: 900,
  address: null,
} as const;

async function asked(workId: string | null = null) {
  const { request, code } = await requestCode(deps, context(workId), INPUT);
  return { kind: 'MEMBER', requestId: request.request_id, code: code ?? '' } as const;
}
const refused = { code: 'UNAUTHENTICATED' };
const directory = { identityOf: async () => null };

it('a repeated request returns the same code', async () => {
  expect(await asked(WORK)).toEqual(await asked(WORK));
  expect(await asked()).not.toEqual(await asked());
});

it('a repeated verification returns the same tokens; another request fails', async () => {
  const presented = await asked();
  const first = await openSession(deps, context(WORK), await verifyCode(deps, context(WORK), presented));
  const again = await openSession(deps, context(WORK), await verifyCode(deps, context(WORK), presented));
  expect(again).toEqual(first);
  await expect(verifyCode(deps, context(), presented)).rejects.toMatchObject(refused);
  await expect(verifyCode(deps, context('wrk_01JQ0000000000000000000008'), presented)).rejects.toMatchObject(refused);
  await expect(verifyCode(deps, context(WORK), { ...presented, code: '' })).rejects.toMatchObject(refused);
});

it('a repeated request opens the session after a crash between code and session', async () => {
  const presented = await asked();
  const work = 'wrk_01JQ0000000000000000000009';
  await verifyCode(deps, context(work), presented);
  const opened = await openSession(deps, context(work), await verifyCode(deps, context(work), presented));
  expect(await checkToken({ ...deps, directory }, opened.access_token)).toMatchObject({ tenant_id: TENANT });
});

it('a repeated renewal returns the same tokens; another request with the token ends the session', async () => {
  const opened = await openSession(deps, context(), await verifyCode(deps, context(), await asked()));
  const token = opened.refresh_token ?? '';
  const work = 'wrk_01JQ000000000000000000000A';
  const renewed = await refreshSession(deps, context(work), token);
  expect(await refreshSession(deps, context(work), token)).toEqual(renewed);
  expect(await checkToken({ ...deps, directory }, renewed.access_token)).not.toBeNull();
  await expect(refreshSession(deps, context(), token)).rejects.toMatchObject(refused);
  expect(await checkToken({ ...deps, directory }, renewed.access_token)).toBeNull();
});

it('codes, tokens and sessions expire to the millisecond', async () => {
  const early = await asked();
  nowMs += 10 * 60_000 - 1;
  const opened = await openSession(deps, context(), await verifyCode(deps, context(), early));
  const late = await asked();
  nowMs += 10 * 60_000;
  await expect(verifyCode(deps, context(), late)).rejects.toMatchObject(refused);
  nowMs += 5 * 60_000 - 1;
  expect(await checkToken({ ...deps, directory }, opened.access_token)).not.toBeNull();
  nowMs += 1;
  expect(await checkToken({ ...deps, directory }, opened.access_token)).toBeNull();
  nowMs += 8 * 60 * 60_000;
  await expect(refreshSession(deps, context(), opened.refresh_token ?? '')).rejects.toMatchObject(refused);
});

it('five of 100 concurrent wrong attempts are compared', async () => {
  const presented = await asked();
  const wrong = { ...presented, code: 'wrong' };
  const tries = await Promise.allSettled(Array.from({ length: 100 }, () => verifyCode(deps, context(), wrong)));
  expect(tries.every(({ status }) => status === 'rejected')).toBe(true);
  const current = await deps.codes(TENANT).get(presented.requestId);
  expect(current).toMatchObject({ tries: MAX_TRIES, status: 'LOCKED' });
});
