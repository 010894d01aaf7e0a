import { beforeEach, describe, expect, it } from '@jest/globals';
import { MasterKey } from '../../../shared/crypto/master-key.js';
import { StartRefused } from '../../../shared/errors/start-refused.js';
import { ulidIds } from '../../../shared/ids/ids.js';
import { ApiKeyHmac, KeyCheck, KeyUse } from '../../../subgraphs/admin/access/check-api-key.js';
import { mintApiKey } from '../../../subgraphs/admin/access/domain/api-key-format.js';
import { ensureOperatorKey } from '../../../subgraphs/admin/access/ensure-operator-key.js';
import { fixOrigin } from '../../../subgraphs/admin/deployment/fix-origin.js';
import type { DeploymentRecord, Deployments } from '../../../subgraphs/admin/deployment/ports.js';
import { ManualClock, recordingLogger, seededRandomness } from '../../support/fakes.js';
import { withOtherEnd } from '../../support/other-end.js';
import { FakeKeys, NO_ACTORS, NO_ROLES } from '../access/fake-keys.js';

type EnsureOperatorKeyDeps = Parameters<typeof ensureOperatorKey>[0];

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

/** The dependencies of one process; each process has separate randomness. */
function processDeps(seed: number): EnsureOperatorKeyDeps {
  const randomness = seededRandomness(seed);
  return {
    keys,
    hmac,
    ids: ulidIds(() => clock.nowMs(), randomness),
    randomness,
    clock,
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

describe('a start without a provided key', () => {
  it('generates an operator key once, returns it once, and stores only its HMAC', async () => {
    const outcome = await ensureOperatorKey(processDeps(1), null);
    expect(outcome).toEqual({ created: true, apiKey: expect.stringMatching(/^eas_live_/) });
    expect(await opens(outcome.apiKey ?? '')).toBe(true);
    expect(JSON.stringify(keys.rows)).not.toContain((outcome.apiKey ?? '').slice(22));
    expect(await ensureOperatorKey(processDeps(2), null)).toEqual({ created: false });
    expect(keys.rows).toHaveLength(1);
  });

  it('generates one key for concurrent starts', async () => {
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

  it('generates another key after all operator keys are dead', async () => {
    const first = await ensureOperatorKey(processDeps(1), null);
    keys.change(keys.rows[0]?.key_id ?? '', { revoked_at: new Date(clock.nowMs()) });
    const second = await ensureOperatorKey(processDeps(2), null);
    expect(second.created).toBe(true);
    expect(await opens(first.apiKey ?? '')).toBe(false);
    expect(await opens(second.apiKey ?? '')).toBe(true);
  });
});

describe('a start with a provided key', () => {
  it('stores the key at the first start and accepts it at the next one', async () => {
    expect(await ensureOperatorKey(processDeps(1), GIVEN)).toEqual({ created: true });
    expect(await opens(GIVEN)).toBe(true);
    expect(await ensureOperatorKey(processDeps(2), GIVEN)).toEqual({ created: false });
    expect(keys.rows).toHaveLength(1);
    expect(JSON.stringify(keys.rows)).not.toContain(GIVEN);
    expect(log.lines).toEqual([]);
  });

  it('stores the same key once for two processes', async () => {
    const outcomes = await Promise.all([
      ensureOperatorKey(processDeps(1), GIVEN),
      ensureOperatorKey(processDeps(2), GIVEN),
    ]);
    expect(outcomes.map((outcome) => outcome.created).sort()).toEqual([false, true]);
  });

  it('accepts another key of an operator who lost the first one', async () => {
    await ensureOperatorKey(processDeps(1), null);
    expect(await ensureOperatorKey(processDeps(2), GIVEN)).toEqual({ created: true });
    expect(await opens(GIVEN)).toBe(true);
  });

  it('logs that a revoked key stays unusable while another one is live', async () => {
    await ensureOperatorKey(processDeps(1), GIVEN);
    await ensureOperatorKey(processDeps(2), mintApiKey(seededRandomness(50)).apiKey);
    keys.change(keys.rows[0]?.key_id ?? '', { revoked_at: new Date(clock.nowMs()) });
    expect(await ensureOperatorKey(processDeps(3), GIVEN)).toEqual({ created: false });
    expect(await opens(GIVEN)).toBe(false);
    expect(log.lines.join('')).toContain('stays unusable');
    expect(log.lines.join('')).not.toContain(GIVEN);
  });

  it('fails for a revoked key without another live one', async () => {
    await ensureOperatorKey(processDeps(1), GIVEN);
    keys.change(keys.rows[0]?.key_id ?? '', { revoked_at: new Date(clock.nowMs()) });
    await expect(ensureOperatorKey(processDeps(2), GIVEN)).rejects.toThrow(StartRefused);
  });

  it("a tenant's key is not lifted to an operator's", async () => {
    await ensureOperatorKey(processDeps(1), GIVEN);
    keys.change(keys.rows[0]?.key_id ?? '', { tenant_id: 'acme' as never, scopes: ['admin'] });
    await expect(ensureOperatorKey(processDeps(2), GIVEN)).rejects.toThrow(StartRefused);
  });

  it('accepts a key in the own format and rejects a wrong checksum', async () => {
    const { apiKey } = mintApiKey(seededRandomness(60));
    await ensureOperatorKey(processDeps(1), apiKey);
    expect(await opens(apiKey)).toBe(true);
    const slipped = withOtherEnd(apiKey);
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
  }

  it('keeps the origin of its first start and rejects another, naming both', async () => {
    const deployments = new FakeDeployments();
    await fixOrigin({ deployments, masterKey, clock }, 'eas.example');
    await fixOrigin({ deployments, masterKey, clock }, 'eas.example');
    const other = fixOrigin({ deployments, masterKey, clock }, 'other.example');
    await expect(other).rejects.toThrow(StartRefused);
    await expect(other).rejects.toThrow(/"eas\.example" on 2026-03-02T14:11:10\.004Z.*"other\.example"/);
  });

  it('rejects another master key; its record reveals nothing of the key', async () => {
    const deployments = new FakeDeployments();
    await fixOrigin({ deployments, masterKey, clock }, 'eas.example');
    expect(JSON.stringify(deployments.record)).not.toContain('07'.repeat(8));
    const other = new MasterKey(new Uint8Array(32).fill(8));
    await expect(fixOrigin({ deployments, masterKey: other, clock }, 'eas.example')).rejects.toThrow(StartRefused);
  });
});
