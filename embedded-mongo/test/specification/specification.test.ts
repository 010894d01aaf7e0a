import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BSON, MongoClient } from 'mongodb';
import { type Running, startInThread } from '../../launch/launch.js';
import { failureOf, temporaryDirectory } from '../test-server.js';
import { type SpecFile, unmetRequirement } from './format.js';
import { expectsClientTimeout, KNOWN_MISSES, NO_CLIENT_TIMEOUT } from './known-misses.js';
import { SpecRun, unsupported } from './run-test.js';

/**
 * MongoDB's driver specification tests (unified format) are not ours to keep, for their licence: MONGODB_SPEC_TESTS names
 * a folder with them. Our own few in the same format prove the runner.
 */
const FOLDER = process.env['MONGODB_SPEC_TESTS'];
const own = join(dirname(fileURLToPath(import.meta.url)), 'fixtures');
const FACTS = { version: '8.0.0', topology: 'single' };

const directory = temporaryDirectory();
let running: Running;

beforeAll(async () => {
  running = await startInThread({ dataDir: directory.path, testCommands: true });
});
afterAll(async () => {
  await running.stop();
  directory.remove();
});

/** What the tests of MongoDB's folder say of the server. The known misses that the driver causes say nothing of it. */
const figures = { applying: 0, missedByServer: 0, missedByDriver: 0 };
const LEAST_SHARE = 0.97;
/** The known misses that name a test of MongoDB's folder. */
const namedMisses = new Set<RegExp>();

/** Folders of wrong files, which test other runners. */
const RUNNER_FAULTS: ReadonlySet<string> = new Set(['invalid', 'valid-fail']);

function filesBelow(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !RUNNER_FAULTS.has(name))
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(path, entry.name)) : [join(path, entry.name)]))
    .filter((name) => name.endsWith('.json'))
    .sort();
}

function define(root: string, path: string): void {
  const file = BSON.EJSON.parse(readFileSync(path, 'utf8'), { relaxed: true }) as SpecFile & { schemaVersion?: string };
  // Some folders hold files of older formats.
  if (file.schemaVersion === undefined || !Array.isArray(file.tests)) return;
  if (!file.tests.every(({ operations }) => Array.isArray(operations))) return;
  const fileReason = unmetRequirement(file.runOnRequirements, FACTS);
  describe(join(relative(root, dirname(path)), basename(path, '.json')), () => {
    for (const one of file.tests) {
      const unmet = fileReason ?? unmetRequirement(one.runOnRequirements, FACTS);
      const name = `${basename(path, '.json')} ${one.description}`;
      const [pattern, named] = KNOWN_MISSES.find(([miss]) => miss.test(name)) ?? [];
      const known = named ?? (expectsClientTimeout(one) ? NO_CLIENT_TIMEOUT : undefined);
      const reason = one.skipReason ?? (unmet ? `needs ${unmet}` : unsupported(file, one));
      if (root === FOLDER && reason === undefined) countTest(known);
      if (pattern && reason === undefined) namedMisses.add(pattern);
      const run = (): Promise<void> => new SpecRun(running.uri).run(file, one);
      if (reason !== undefined) it.skip(`${one.description} [skipped: ${reason}]`, () => undefined);
      // A miss that has gone fails here, so that the list cannot go stale.
      else if (known !== undefined) it.failing(`${one.description} [known miss: ${known}]`, run);
      else it(one.description, run);
    }
  });
}

function countTest(known: string | undefined): void {
  if (known?.startsWith('the driver')) figures.missedByDriver += 1;
  else figures.applying += 1;
  if (known?.startsWith('the server')) figures.missedByServer += 1;
}

describe('tests of this package in the unified format', () => {
  for (const path of filesBelow(own)) define(own, path);

  it.each([
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

  it('returns the write concern error of a fail point with the reply of a bulk write', async () => {
    const client = new MongoClient(running.uri);
    const data = { failCommands: ['bulkWrite'], writeConcernError: { code: 91, errmsg: 'ending' } };
    await client.db('admin').command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data });
    const write = client.bulkWrite([{ name: 'insertOne', namespace: 'own-spec.bulk', document: { n: 1 } }]);
    expect(await failureOf(write)).toMatchObject({ writeConcernErrors: [{ code: 91, message: 'ending' }] });
    await client.close();
  });

  it('fails the ismaster of a driver by a fail point for its alias isMaster', async () => {
    const admin = new MongoClient(running.uri);
    const data = { failCommands: ['isMaster'], appName: 'own-spec-alias', errorCode: 91 };
    await admin.db('admin').command({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data });
    const client = new MongoClient(running.uri, { appName: 'own-spec-alias', serverSelectionTimeoutMS: 500 });
    expect(await failureOf(client.connect())).toMatchObject({ message: expect.stringContaining('failCommand') });
    await admin.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
    await client.close();
    await admin.close();
  });

  it('rejects fail points on a server not started for tests', async () => {
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

describe("MongoDB's specification tests", () => {
  if (FOLDER === undefined) it.skip('all [skipped: runs when MONGODB_SPEC_TESTS names their folder]', () => undefined);
  else {
    for (const path of filesBelow(FOLDER)) define(FOLDER, path);
    it('contains a test for each known miss', () => {
      const stale = KNOWN_MISSES.filter(([pattern]) => !namedMisses.has(pattern)).map(([pattern]) => pattern.source);
      expect(stale).toEqual([]);
    });

    // Each test that is not a known miss passes or fails by itself.
    it(`knows misses of the server in at most ${Math.round((1 - LEAST_SHARE) * 100)} % of the tests that apply`, () => {
      const { applying, missedByServer, missedByDriver } = figures;
      const passing = applying - missedByServer;
      process.stdout.write(
        `specification tests: ${passing} of ${applying} pass, ${missedByServer} the server refuses, ` +
          `${missedByDriver} more fail by the driver\n`,
      );
      expect(passing / applying).toBeGreaterThanOrEqual(LEAST_SHARE);
    });
  }
});
