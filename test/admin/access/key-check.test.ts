import { beforeEach, describe, expect, it } from '@jest/globals';
import { MasterKey } from '../../../shared/crypto/master-key.js';
import { ApiKeyHmac, KeyCheck, KeyUse } from '../../../subgraphs/admin/access/check-api-key.js';
import { mintApiKey } from '../../../subgraphs/admin/access/domain/api-key-format.js';
import type { StoredApiKey } from '../../../subgraphs/admin/access/ports.js';
import { ManualClock, recordingLogger, seededRandomness } from '../../support/fakes.js';
import { withOtherEnd } from '../../support/other-end.js';
import { FakeKeys, NO_ACTORS, NO_ROLES } from './fake-keys.js';

const PLAIN = { actors: NO_ACTORS, roles: NO_ROLES };
const hmac = new ApiKeyHmac(new MasterKey(new Uint8Array(32).fill(7)));

let clock: ManualClock;
let keys: FakeKeys;
let check: KeyCheck;
let use: KeyUse;
let log: ReturnType<typeof recordingLogger>;
let seed = 1;

beforeEach(() => {
  clock = new ManualClock();
  keys = new FakeKeys();
  log = recordingLogger();
  use = new KeyUse(keys, log.logger);
  check = new KeyCheck({ ...PLAIN, keys, hmac, use, clock });
});

/** A stored key and the text that opens it. */
function stored(over: Partial<StoredApiKey> = {}, text?: string): { apiKey: string; key: StoredApiKey } {
  seed += 1;
  const minted = mintApiKey(seededRandomness(seed));
  const apiKey = text ?? minted.apiKey;
  const key: StoredApiKey = {
    key_id: `key_${String(seed).padStart(26, '0')}`,
    tenant_id: 'acme' as StoredApiKey['tenant_id'],
    name: 'gateway',
    scopes: ['events:write'],
    role_ids: [],
    actor_id: null,
    allowed_cidrs: [],
    grace_ends_at: null,
    rotated_to: null,
    rotated_from: null,
    last_used_address: null,
    prefix: null,
    last_four: apiKey.slice(-4),
    created_at: new Date(clock.nowMs()),
    created_by: null,
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    revoked_by: null,
    lookup_id: text === undefined ? minted.lookupId : null,
    key_hmac: hmac.of(apiKey).toString('hex'),
    bootstrap_round: null,
    ...over,
  };
  keys.rows.push(key);
  return { apiKey, key };
}

describe('KeyCheck with a live key', () => {
  it('returns its principal with implied scopes', async () => {
    const { apiKey, key } = stored();
    const principal = await check.authenticate(apiKey, null);
    expect(principal).toMatchObject({ keyId: key.key_id, keyName: 'gateway', tenantId: 'acme', actorId: null });
    expect(principal?.scopes.has('documents:write')).toBe(true);
    expect(principal?.scopes.has('events:read')).toBe(false);
  });

  it("returns an operator's principal for a key of no tenant", async () => {
    const { apiKey } = stored({ tenant_id: '*', scopes: ['*'] });
    const principal = await check.authenticate(apiKey, null);
    expect(principal?.tenantId).toBeNull();
    expect(principal?.scopes.has('documents:unredacted')).toBe(true);
  });

  it('accepts a key that an operator provided, by its HMAC', async () => {
    const { apiKey, key } = stored({ tenant_id: '*', scopes: ['*'] }, 'operator-key-for-tests-0123456789abcdef');
    expect((await check.authenticate(apiKey, null))?.keyId).toBe(key.key_id);
    expect(await check.authenticate(`${apiKey}x`, null)).toBeUndefined();
  });

  it('queries the database once for many requests, concurrent ones included', async () => {
    const { apiKey } = stored();
    await Promise.all(Array.from({ length: 50 }, () => check.authenticate(apiKey, null)));
    clock.advance(3_999);
    await check.authenticate(apiKey, null);
    expect(keys.lookUps).toBe(1);
  });
});

describe('KeyCheck rejects', () => {
  it('a misspelt or impossible key without a query', async () => {
    const { apiKey } = stored();
    for (const text of ['', 'Bearer', apiKey.slice(0, -1), `${apiKey.slice(0, -1)}_`, apiKey.toUpperCase()]) {
      expect(await check.authenticate(text, null)).toBeUndefined();
    }
    expect(await check.authenticate(withOtherEnd(apiKey), null)).toBeUndefined();
    // A text of another shape is still searched by its HMAC; only these searches count.
    const asked = keys.lookUps;
    expect(await check.authenticate(withOtherEnd(apiKey), null)).toBeUndefined();
    expect(keys.lookUps).toBe(asked);
  });

  it("a well-formed key with a stored key's look-up id and another secret", async () => {
    const { key } = stored();
    const other = mintApiKey(seededRandomness(99_999));
    keys.change(key.key_id, { lookup_id: other.lookupId });
    expect(await check.authenticate(other.apiKey, null)).toBeUndefined();
    expect(await check.authenticate(other.apiKey, null)).toBeUndefined();
  });

  it('a revoked key and an expired key', async () => {
    const revoked = stored({ revoked_at: new Date(clock.nowMs()) });
    const expired = stored({ expires_at: new Date(clock.nowMs()) });
    expect(await check.authenticate(revoked.apiKey, null)).toBeUndefined();
    expect(await check.authenticate(expired.apiKey, null)).toBeUndefined();
  });

  it('a cached key from the millisecond of its expiry', async () => {
    const { apiKey } = stored({ expires_at: new Date(clock.nowMs() + 1_000) });
    expect(await check.authenticate(apiKey, null)).toBeDefined();
    clock.advance(999);
    expect(await check.authenticate(apiKey, null)).toBeDefined();
    clock.advance(1);
    expect(await check.authenticate(apiKey, null)).toBeUndefined();
  });

  it('a key stored under another master key', async () => {
    const { apiKey } = stored();
    const other = new KeyCheck({ ...PLAIN, keys, hmac: new ApiKeyHmac(new MasterKey(new Uint8Array(32))), use, clock });
    expect(await other.authenticate(apiKey, null)).toBeUndefined();
  });
});

describe('a revocation', () => {
  it('takes effect within 5 s when another process makes it', async () => {
    const { apiKey, key } = stored();
    expect(await check.authenticate(apiKey, null)).toBeDefined();
    keys.change(key.key_id, { revoked_at: new Date(clock.nowMs()) });
    clock.advance(4_999);
    expect(await check.authenticate(apiKey, null)).toBeUndefined();
  });

  it('takes effect at once when this process makes it', async () => {
    const { apiKey, key } = stored();
    expect(await check.authenticate(apiKey, null)).toBeDefined();
    keys.change(key.key_id, { revoked_at: new Date(clock.nowMs()) });
    check.forget(key);
    expect(await check.authenticate(apiKey, null)).toBeUndefined();
  });

  it('is not undone by a query that started before it', async () => {
    const { apiKey, key } = stored();
    let open = (): void => undefined;
    keys.gate = new Promise((resolve) => {
      open = resolve;
    });
    const early = check.authenticate(apiKey, null);
    keys.change(key.key_id, { revoked_at: new Date(clock.nowMs()) });
    check.forget(key);
    const late = check.authenticate(apiKey, null);
    open();
    expect(await early).toBeDefined();
    expect(await late).toBeUndefined();
    expect(await check.authenticate(apiKey, null)).toBeUndefined();
  });
});

describe('an unknown key', () => {
  it('costs one query a second and is known once this process creates it', async () => {
    const { apiKey, key } = stored();
    keys.rows.pop();
    for (let i = 0; i < 10; i++) expect(await check.authenticate(apiKey, null)).toBeUndefined();
    expect(keys.lookUps).toBe(1);
    clock.advance(1_000);
    expect(await check.authenticate(apiKey, null)).toBeUndefined();
    expect(keys.lookUps).toBe(2);
    keys.rows.push(key);
    check.forget(key);
    expect(await check.authenticate(apiKey, null)).toBeDefined();
  });

  it('does not hide a database failure: the error is thrown and not cached', async () => {
    const { apiKey } = stored();
    keys.failure = new Error('no server');
    await expect(check.authenticate(apiKey, null)).rejects.toThrow('no server');
    keys.failure = undefined;
    expect(await check.authenticate(apiKey, null)).toBeDefined();
  });
});

describe('KeyUse', () => {
  it('writes the last use at most once a minute and delays no request', async () => {
    const { apiKey, key } = stored();
    let open = (): void => undefined;
    await check.authenticate(apiKey, null);
    await use.settled();
    keys.gate = new Promise((resolve) => {
      open = resolve;
    });
    clock.advance(1_000);
    await check.authenticate(apiKey, null);
    expect(keys.uses).toEqual([new Map([[key.key_id, { at: new Date(clock.nowMs() - 1_000), address: null }]])]);
    open();
    clock.advance(59_000);
    await check.authenticate(apiKey, null);
    await use.settled();
    expect(keys.uses).toHaveLength(2);
    expect(keys.uses[1]).toEqual(new Map([[key.key_id, { at: new Date(clock.nowMs()), address: null }]]));
  });

  it('groups uses during a write into the next write', async () => {
    const many = [stored(), stored(), stored()];
    for (const { key } of many) use.note(key.key_id, clock.nowMs(), null);
    await use.settled();
    expect(keys.uses.map((uses) => uses.size)).toEqual([1, 2]);
  });

  it('logs a failed write without the key', async () => {
    const { apiKey } = stored();
    await check.authenticate(apiKey, null);
    await use.settled();
    clock.advance(60_000);
    await check.authenticate(apiKey, null);
    keys.failure = new Error('no server');
    use.note('key_other', clock.nowMs(), null);
    await use.settled();
    expect(log.lines.join('')).toContain('could not write the last use of API keys');
    expect(log.lines.join('')).not.toContain(apiKey);
  });
});
