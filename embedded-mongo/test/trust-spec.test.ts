import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BSON, MongoClient } from 'mongodb';
import { type Running, startInThread } from '../launch.js';
import { failureOf, temporaryDirectory } from './server-support.js';
import { type SpecFile, unmetRequirement } from './spec-runner/format.js';
import { knownMisses } from './spec-runner/known-misses.js';
import { SpecRun, unsupported } from './spec-runner/run-test.js';

/**
 * MongoDB's driver specification tests (unified format) are not ours to keep, for their licence: MONGODB_SPEC_TESTS names
 * a folder with them. Our own few in the same format prove the runner.
 */
const folder = process.env['MONGODB_SPEC_TESTS'];
const own = join(dirname(fileURLToPath(import.meta.url)), 'spec-runner', 'fixtures');
const facts = { version: '8.0.0', topology: 'single' };

const directory = temporaryDirectory();
let running: Running;

beforeAll(async () => {
  running = await startInThread({ dataDir: directory.path, testCommands: true });
});
afterAll(async () => {
  await running.stop();
  directory.remove();
});

function filesBelow(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(path, entry.name)) : [join(path, entry.name)]))
    .filter((name) => name.endsWith('.json'))
    .sort();
}

function define(root: string, path: string): void {
  const file = BSON.EJSON.parse(readFileSync(path, 'utf8'), { relaxed: true }) as SpecFile & { schemaVersion?: string };
  if (file.schemaVersion === undefined || !Array.isArray(file.tests)) return;
  const fileReason = unmetRequirement(file.runOnRequirements, facts);
  describe(join(relative(root, dirname(path)), basename(path, '.json')), () => {
    for (const one of file.tests) {
      const unmet = fileReason ?? unmetRequirement(one.runOnRequirements, facts);
      const name = `${basename(path, '.json')} ${one.description}`;
      const known = knownMisses.find(([pattern]) => pattern.test(name))?.[1];
      const reason = one.skipReason ?? (unmet ? `needs ${unmet}` : (unsupported(file, one) ?? known));
      if (reason === undefined) test(one.description, () => new SpecRun(running.uri).run(file, one));
      else test.skip(`${one.description} (${reason})`, () => undefined);
    }
  });
}

describe('our own tests in the unified format', () => {
  for (const path of filesBelow(own)) define(own, path);

  test.each([
    [
      'a wrong result',
      { name: 'countDocuments', object: 'things', arguments: { filter: {} }, expectResult: 5 },
      /result of countDocuments/,
    ],
    [
      'an error that does not come',
      { name: 'findOne', object: 'things', arguments: {}, expectError: { isError: true } },
      /expected to fail/,
    ],
    [
      'another error',
      { name: 'insertOne', object: 'things', arguments: { document: { _id: 1 } }, expectError: { errorCode: 1 } },
      /another code/,
    ],
  ])('the runner finds %s', async (_name, operation, text) => {
    const file = BSON.EJSON.parse(readFileSync(join(own, 'self-check.json'), 'utf8')) as SpecFile;
    const run = new SpecRun(running.uri).run(file, { description: 'wrong', operations: [operation] });
    expect(await failureOf(run)).toMatchObject({ message: expect.stringMatching(text) });
  });

  test('a server that is not started for tests knows no fail points', async () => {
    const plain = temporaryDirectory();
    const server = await startInThread({ dataDir: plain.path });
    const client = new MongoClient(server.uri);
    const configure = client.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
    expect(await failureOf(configure)).toMatchObject({ code: 59 });
    await client.close();
    await server.stop();
    plain.remove();
  });
});

describe("MongoDB's specification tests (skipped unless MONGODB_SPEC_TESTS names their folder)", () => {
  if (folder === undefined) test.skip('none', () => undefined);
  else for (const path of filesBelow(folder)) define(folder, path);
});
