import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';

// Builds over fixed inputs in processes of their own (rebuild.mjs), as another machine would make them.

const ROUNDS = Number(process.env['BUNDLE_REBUILD_ROUNDS'] ?? 6);
const ZONES = ['America/St_Johns', 'Asia/Kathmandu', 'Pacific/Kiritimati'];
const LOCALES = ['C', 'tr_TR.UTF-8'];

interface Rebuilt {
  readonly hashes: readonly string[];
  readonly failed: number;
  readonly calls: number;
  /** Of a build that asked a member who has denied everything. */
  readonly anew: string;
}

async function rebuilt(env: Readonly<Record<string, string>>, options: readonly string[] = []): Promise<Rebuilt> {
  const script = repositoryFile('test/bundles/build/rebuild.mjs');
  const run = promisify(execFile)(process.execPath, [script, ...options], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  return JSON.parse((await run).stdout) as Rebuilt;
}

describe('a bundle of the same content, key and time', () => {
  it(
    `is the same to the byte in ${ROUNDS} processes over three time zones and two locales`,
    async () => {
      const hashes = new Set<string>();
      for (let round = 0; round < ROUNDS; round++) {
        const locale = LOCALES[round % LOCALES.length] ?? 'C';
        const env = { TZ: ZONES[round % ZONES.length] ?? 'UTC', LC_ALL: locale, LANG: locale };
        for (const hash of (await rebuilt(env)).hashes) hashes.add(hash);
      }
      expect([...hashes]).toHaveLength(1);
    },
    30_000 + ROUNDS * 30_000,
  );

  it('is identical after any call of another area has failed and was retried', async () => {
    const { hashes, failed, calls } = await rebuilt({ TZ: 'UTC' }, ['--fail-each']);
    expect(calls).toBeGreaterThan(20);
    expect(failed).toBe(calls);
    expect(hashes).toHaveLength(1);
  }, 240_000);

  it('is identical after consent has changed, because the build stores the first answers', async () => {
    const plain = await rebuilt({ TZ: 'UTC' });
    expect(plain.hashes).toEqual([plain.anew]);
    const stated = await rebuilt({ TZ: 'UTC' }, ['--purpose']);
    expect(stated.hashes).toHaveLength(1);
    expect(new Set([...plain.hashes, ...stated.hashes, stated.anew]).size).toBe(3);
  });
});
