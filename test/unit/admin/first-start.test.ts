import { beforeEach, describe, expect, test } from '@jest/globals';
import { MasterKey } from '../../../shared/crypto/master-key.js';
import { StartRefused } from '../../../shared/errors/start-refused.js';
import { ulidIds } from '../../../shared/ids/ids.js';
import { mintApiKey } from '../../../subgraphs/admin/domain/api-key-format.js';
import { ApiKeyHmac, KeyCheck } from '../../../subgraphs/admin/service/check-api-key.js';
import { type EnsureOperatorKeyDeps, ensureOperatorKey } from '../../../subgraphs/admin/service/ensure-operator-key.js';
import { fixOrigin } from '../../../subgraphs/admin/service/fix-origin.js';
import { KeyUse } from '../../../subgraphs/admin/service/key-use.js';
import type { DeploymentRecord, Deployments } from '../../../subgraphs/admin/service/ports.js';
import { ManualClock, recordingLogger, seededRandomness } from '../../support/fakes.js';
import { FakeKeys, NO_ACTORS, NO_ROLES } from './fake-keys.js';

const GIVEN = 'operator-key-for-tests-0123456789abcdef';
const masterKey = new MasterKey(new Uint8Array(32).fill(7));
const hmac = new ApiKeyHmac(masterKey);

let clock: ManualClock;
let keys: FakeKeys;
let log: ReturnType<typeof recordingLogger>;

beforeEach(() => {
  clock = new ManualClock();
  keys = new FakeKeys();
  log = recordingLogger();
});

/** What one process brings along; each has randomness of its own. */
function processDeps(seed: number): EnsureOperatorKeyDeps {
  const randomness = seededRandomness(seed);
  return {
    keys,
    hmac,
    ids: ulidIds(() => clock.nowMs(), randomness),
    randomness,
    clock,
    outbox: { relay: async () => {} },
    logger: log.logger,
  };
}

const opens = async (apiKey: string): Promise<boolean> => {
  const check = new KeyCheck({
    actors: NO_ACTORS,
    roles: NO_ROLES,
    keys,
    hmac,
    use: new KeyUse(keys, log.logger),
    clock,
  });
  return (await check.authenticate(apiKey, null))?.grantedScopes.includes('*') ?? false;
};

describe('without a given key', () => {
  test('the first start makes an operator key, shows it once, and stores it as an HMAC alone', async () => {
    const outcome = await ensureOperatorKey(processDeps(1), null);
    expect(outcome).toEqual({ created: true, apiKey: expect.stringMatching(/^eas_live_/) });
    expect(await opens(outcome.apiKey ?? '')).toBe(true);
    expect(JSON.stringify(keys.rows)).not.toContain((outcome.apiKey ?? '').slice(22));
    expect(await ensureOperatorKey(processDeps(2), null)).toEqual({ created: false });
    expect(keys.rows).toHaveLength(1);
  });

  test('of many processes that start at once, one makes the key', async () => {
    let open = (): void => undefined;
    keys.gate = new Promise((resolve) => {
      open = resolve;
    });
    const starts = Array.from({ length: 8 }, (_, seed) => ensureOperatorKey(processDeps(seed + 1), null));
    open();
    const outcomes = await Promise.all(starts);
    expect(outcomes.filter((outcome) => outcome.created)).toHaveLength(1);
    expect(keys.rows).toHaveLength(1);
    expect(await opens(outcomes.find((outcome) => outcome.created)?.apiKey ?? '')).toBe(true);
  });

  test('a start after all operator keys are dead makes another', async () => {
    const first = await ensureOperatorKey(processDeps(1), null);
    keys.change(keys.rows[0]?.key_id ?? '', { revoked_at: new Date(clock.nowMs()) });
    const second = await ensureOperatorKey(processDeps(2), null);
    expect(second.created).toBe(true);
    expect(await opens(first.apiKey ?? '')).toBe(false);
    expect(await opens(second.apiKey ?? '')).toBe(true);
  });
});

describe('with a given key', () => {
  test('it is taken at the first start, not repeated, and known again at the next', async () => {
    expect(await ensureOperatorKey(processDeps(1), GIVEN)).toEqual({ created: true });
    expect(await opens(GIVEN)).toBe(true);
    expect(await ensureOperatorKey(processDeps(2), GIVEN)).toEqual({ created: false });
    expect(keys.rows).toHaveLength(1);
    expect(JSON.stringify(keys.rows)).not.toContain(GIVEN);
    expect(log.lines).toEqual([]);
  });

  test('two processes that bring the same one store it once', async () => {
    const outcomes = await Promise.all([
      ensureOperatorKey(processDeps(1), GIVEN),
      ensureOperatorKey(processDeps(2), GIVEN),
    ]);
    expect(outcomes.map((outcome) => outcome.created).sort()).toEqual([false, true]);
  });

  test('an operator who lost the first key comes back in with another', async () => {
    await ensureOperatorKey(processDeps(1), null);
    expect(await ensureOperatorKey(processDeps(2), GIVEN)).toEqual({ created: true });
    expect(await opens(GIVEN)).toBe(true);
  });

  test('a revoked one stays dead, and the log says so, while there is another', async () => {
    await ensureOperatorKey(processDeps(1), GIVEN);
    await ensureOperatorKey(processDeps(2), mintApiKey(seededRandomness(50)).apiKey);
    keys.change(keys.rows[0]?.key_id ?? '', { revoked_at: new Date(clock.nowMs()) });
    expect(await ensureOperatorKey(processDeps(3), GIVEN)).toEqual({ created: false });
    expect(await opens(GIVEN)).toBe(false);
    expect(log.lines.join('')).toContain('stays unusable');
    expect(log.lines.join('')).not.toContain(GIVEN);
  });

  test('a revoked one with no other refuses the start', async () => {
    await ensureOperatorKey(processDeps(1), GIVEN);
    keys.change(keys.rows[0]?.key_id ?? '', { revoked_at: new Date(clock.nowMs()) });
    await expect(ensureOperatorKey(processDeps(2), GIVEN)).rejects.toThrow(StartRefused);
  });

  test("a tenant's key is not lifted to an operator's", async () => {
    await ensureOperatorKey(processDeps(1), GIVEN);
    keys.change(keys.rows[0]?.key_id ?? '', { tenant_id: 'acme' as never, scopes: ['admin'] });
    await expect(ensureOperatorKey(processDeps(2), GIVEN)).rejects.toThrow(StartRefused);
  });

  test('one of our own shape works, and is refused when its checksum is wrong', async () => {
    const { apiKey } = mintApiKey(seededRandomness(60));
    await ensureOperatorKey(processDeps(1), apiKey);
    expect(await opens(apiKey)).toBe(true);
    const slipped = `${apiKey.slice(0, -1)}${apiKey.endsWith('A') ? 'B' : 'A'}`;
    await expect(ensureOperatorKey(processDeps(2), slipped)).rejects.toThrow(StartRefused);
    await expect(ensureOperatorKey(processDeps(2), 'x'.repeat(513))).rejects.toThrow(StartRefused);
  });
});

describe('the deployment', () => {
  class FakeDeployments implements Deployments {
    record: DeploymentRecord | undefined;
    async fix(record: DeploymentRecord): Promise<DeploymentRecord> {
      this.record ??= record;
      return this.record;
    }
    async ping(): Promise<void> {}
  }

  test('keeps the origin of its first start and refuses another, naming both', async () => {
    const deployments = new FakeDeployments();
    await fixOrigin({ deployments, masterKey, clock }, 'eas.example');
    await fixOrigin({ deployments, masterKey, clock }, 'eas.example');
    const other = fixOrigin({ deployments, masterKey, clock }, 'other.example');
    await expect(other).rejects.toThrow(StartRefused);
    await expect(other).rejects.toThrow(/"eas\.example" on 2026-03-02T14:11:10\.004Z.*"other\.example"/);
  });

  test('refuses another master key, and its record tells nothing of the key', async () => {
    const deployments = new FakeDeployments();
    await fixOrigin({ deployments, masterKey, clock }, 'eas.example');
    expect(JSON.stringify(deployments.record)).not.toContain('07'.repeat(8));
    const other = new MasterKey(new Uint8Array(32).fill(8));
    await expect(fixOrigin({ deployments, masterKey: other, clock }, 'eas.example')).rejects.toThrow(StartRefused);
  });
});
