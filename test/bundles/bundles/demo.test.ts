import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { Http } from '../../support/http.js';

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

it('with --open fills every list of the console, and serves it until it is interrupted', async () => {
  // Without PATH no browser opens.
  const child = spawn(process.execPath, [repositoryFile('dist/app/demo/main.js'), '--open'], {
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let [url, key] = ['', ''];
  for await (const line of createInterface({ input: child.stdout })) {
    url = /console is at (http:\/\/[^/]+)\//.exec(line)?.[1] ?? url;
    key = /Sign in with the key (\S+)/.exec(line)?.[1] ?? key;
    if (line.startsWith('Ctrl+C')) break;
  }
  const http = new Http(url, key);
  const lists = [
    ...['events', 'members', 'bundles', 'documents', 'legal-holds', 'legal-matters', 'exceptions', 'ai-decisions'],
    ...['appointments', 'care-team', 'webhooks', 'source-feeds', 'actors', 'custody'],
  ];
  const counts = await Promise.all(
    lists.map(async (list) => [list, (await http.get(`/v1/${list}`)).json.items.length > 0] as const),
  );
  child.kill('SIGINT');
  expect(counts.filter(([, isFilled]) => !isFilled)).toEqual([]);
  expect(await ended).toBe(0);
});
