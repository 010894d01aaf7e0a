import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { answerOf, bodyOf, type Contract, routesOf } from '../../app/client/python/contract.js';
import { repositoryFile } from '../../app/repository.js';
import { itUnless, lackOf } from '../support/needs.js';

// Generators that integrators use read the contract without a warning. A generator that this machine lacks is skipped.

const CONTRACT = repositoryFile('client/openapi.json');
const MEDIA_TYPES = repositoryFile('client/generators/openapi-python-client.yml');
/** Media types that openapi-python-client knows without our file. */
const KNOWN = [
  'application/json',
  'application/fhir+json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
];

interface Generator {
  readonly program: string;
  readonly args: (output: string) => readonly string[];
}

const GENERATORS: readonly Generator[] = [
  {
    program: 'openapi-python-client',
    args: (output) => ['generate', '--path', CONTRACT, '--config', MEDIA_TYPES, '--output-path', output],
  },
  {
    program: 'openapi-ts',
    args: (output) => [
      ...['--input', CONTRACT, '--output', output],
      ...['--plugins', '@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
    ],
  },
  {
    program: 'orval',
    args: (output) => ['--input', CONTRACT, '--output', join(output, 'client.ts'), '--client', 'fetch'],
  },
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eas-generators-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(GENERATORS)('$program', ({ program, args }) => {
  const isHere = spawnSync(program, ['--version']).status === 0;

  itUnless(lackOf(isHere, program))('makes a client of the contract without a warning', async () => {
    const output = join(folder, program);
    const { stdout, stderr } = await promisify(execFile)(program, args(output), { cwd: folder });
    expect(`${stdout}${stderr}`).not.toMatch(/warn|unsupported|error|skipping/i);
    expect((await readdir(output)).length).toBeGreaterThan(0);
  });
});

describe('client/generators/openapi-python-client.yml', () => {
  it('lists every media type of bytes in the contract, and no other', async () => {
    // `npm run client` writes the file from the routes.
    const contract = JSON.parse(await readFile(CONTRACT, 'utf8')) as Contract;
    const types = new Set<string>();
    for (const route of routesOf(contract)) {
      const body = bodyOf(route);
      if (body.kind === 'bytes') for (const type of body.mediaTypes) types.add(type);
      const answers = Object.entries(route.responses).filter(([status]) => status.startsWith('2'));
      if (answerOf(route)) continue;
      for (const [, { content = {} }] of answers) for (const type of Object.keys(content)) types.add(type);
    }
    const { content_type_overrides: overrides } = parse(await readFile(MEDIA_TYPES, 'utf8'));
    expect(Object.keys(overrides).sort()).toEqual([...types].filter((type) => !KNOWN.includes(type)).sort());
  });
});
