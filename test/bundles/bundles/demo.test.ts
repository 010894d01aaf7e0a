import { execFile } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';

interface Ended {
  readonly exitCode: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

const demo = (): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [repositoryFile('dist/app/demo/main.js')], (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : error.code, stdout, stderr });
    });
  });

it('seals a bundle, reports its progress, and verifies it with the published key', async () => {
  const { exitCode, stdout, stderr } = await demo();
  expect([exitCode, stderr]).toEqual([0, '']);
  const [last] = stdout.split('[8/8]').slice(1);
  expect(last).toMatch(/bdl_\w+: REQUESTED \w+ \d+\/\d+/);
  expect(last).toMatch(/bdl_\w+: SEALED DONE 3\/3/);
  expect(last).toMatch(/downloaded \d+ bytes, sha256 [0-9a-f]{16}/);
  expect(last).toContain('3 whole, 0 redacted, 0 disposed of');
  expect(last).toMatch(/^ +VALID: /m);
  expect(last).toContain('Done.');
});
