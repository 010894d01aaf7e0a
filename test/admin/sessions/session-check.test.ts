import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Principal } from '../../../shared/auth/context.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import type { StoredApiKey } from '../../../subgraphs/admin/access/ports.js';
import { SessionCheck } from '../../../subgraphs/admin/sessions/check-session.js';
import { IDLE_MS, LIFETIME_MS, mintSessionToken } from '../../../subgraphs/admin/sessions/domain.js';
import type { SessionRecord } from '../../../subgraphs/admin/sessions/ports.js';
import { ManualClock, recordingLogger, seededRandomness } from '../../support/fakes.js';

const SESSION = 'ses_01JQ0000000000000000000001';
const TENANT = 'acme' as StoredApiKey['tenant_id'];
const PRINCIPAL: Principal = {
  keyId: 'key_1',
  keyName: 'console',
  actorId: null,
  tenantId: TENANT === '*' ? null : TENANT,
  grantedScopes: ['events:read'],
  scopes: new Set(['events:read']),
};

let clock: ManualClock;
let row: SessionRecord;
let touches: Date[];
let keyIsLive: boolean;
let check: SessionCheck;
const token = mintSessionToken(SESSION, (target) => seededRandomness(7).fill(target));

beforeEach(() => {
  clock = new ManualClock();
  touches = [];
  keyIsLive = true;
  const at = new Date(clock.nowMs());
  row = {
    session_id: SESSION,
    tenant_id: TENANT,
    key_id: 'key_1',
    person: null,
    token_hash: sha256Hex(token),
    address: null,
    created_at: at,
    last_seen_at: at,
    ended_at: null,
    ended_by: null,
  };
  check = new SessionCheck({
    clock,
    logger: recordingLogger().logger,
    sessions: {
      byId: async (id) => (id === SESSION ? row : undefined),
      touch: async (_id, last_seen_at) => {
        touches.push(last_seen_at);
        row = { ...row, last_seen_at };
      },
    },
    check: {
      authenticate: async () => undefined,
      verdict: async () => undefined,
      knownPerson: async () => undefined,
      knownById: async () => ({
        // The stored key is not read here.
        key: {} as unknown as StoredApiKey,
        name: 'key',
        allowedCidrs: [],
        hmac: Buffer.alloc(32),
        principal: PRINCIPAL,
        isAllowedFrom: (address) => address !== '198.51.100.9',
        isLiveAt: () => keyIsLive,
        endsAtMs: null,
      }),
    },
  });
});

const opens = async (presented = token): Promise<boolean> => (await check.authenticate(presented, null)) !== undefined;

describe('a session token', () => {
  it('authenticates as its key, under its own id', async () => {
    const signedInAtMs = row.created_at.getTime();
    expect(await check.authenticate(token, null)).toEqual({ ...PRINCIPAL, sessionId: SESSION, signedInAtMs });
  });

  it('is rejected with another secret, from an address that the key does not allow, and after its key ends', async () => {
    expect(await opens(mintSessionToken(SESSION, (target) => seededRandomness(8).fill(target)))).toBe(false);
    expect(await check.authenticate(token, '198.51.100.9')).toBeUndefined();
    keyIsLive = false;
    check.forgetAll();
    expect(await opens()).toBe(false);
  });

  it('ends an hour after its last request', async () => {
    clock.advance(IDLE_MS - 1);
    expect(await opens()).toBe(true);
    await check.settled();
    expect(touches).toEqual([new Date(clock.nowMs())]);
    clock.advance(IDLE_MS - 1);
    expect(await opens()).toBe(true);
    clock.advance(IDLE_MS);
    expect(await opens()).toBe(false);
  });

  it('ends twelve hours after its opening, however often it is used', async () => {
    for (let ms = 0; ms < LIFETIME_MS; ms += IDLE_MS / 2) {
      expect([ms, await opens()]).toEqual([ms, true]);
      await check.settled();
      clock.advance(IDLE_MS / 2);
    }
    expect(await opens()).toBe(false);
  });

  it('gives other processes its end with the verdict', async () => {
    const verdict = await check.verdict(token, null);
    expect(verdict).toMatchObject({ endsAtMs: row.last_seen_at.getTime() + IDLE_MS, allowedCidrs: [] });
  });
});
