import { spawn } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Running, startInThread } from '../../launch/launch.js';
import { temporaryDirectory } from '../test-server.js';

/** The shell of MongoDB, where it is installed (npm's `mongosh`): named by MONGOSH, or found on PATH. */
const MONGOSH = process.env['MONGOSH'] ?? onPath('mongosh');
/** Gives a program a terminal (util-linux). */
const script = onPath('script');

function onPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

const directory = temporaryDirectory();
let running: Running;
let uri: string;

beforeAll(async () => {
  running = await startInThread({ dataDir: directory.path, tcp: { port: 0 } });
  const password = readFileSync(join(directory.path, 'password'), 'utf8').trim();
  uri = `mongodb://admin:${password}@127.0.0.1:${running.port}/shell?authSource=admin`;
});
afterAll(async () => {
  await running.stop();
  directory.remove();
});

const environment = () => ({ ...process.env, HOME: directory.path });

async function evaluate(address: string, code: string): Promise<string> {
  const child = spawn(MONGOSH ?? '', [address, '--quiet', '--norc', '--eval', code], { env: environment() });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return text.trim();
}

/** Types one line after the other at a terminal, each when the answer to the one before has come. */
async function type(address: string, lines: readonly [typed: string, answer: RegExp][]): Promise<void> {
  const command = `'${MONGOSH}' '${address}' --norc`;
  const child = spawn(script ?? '', ['-qec', command, '/dev/null'], { env: { ...environment(), TERM: 'dumb' } });
  const closed = new Promise((resolve) => child.once('close', resolve));
  let text = '';
  let wake: () => void = () => undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    text += stripVTControlCharacters(chunk.toString());
    wake();
  });
  const answered = async (answer: RegExp) => {
    const deadline = setTimeout(() => child.kill(), 120_000);
    while (!answer.test(text)) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`no answer ${answer} in:\n${text}`);
      await Promise.race([new Promise<void>((resolve) => (wake = resolve)), closed]);
    }
    clearTimeout(deadline);
  };
  await answered(/shell> /);
  for (const [typed, answer] of lines) {
    text = '';
    child.stdin.write(`${typed}\r`);
    await answered(answer);
  }
  child.stdin.write('.exit\r');
  await closed;
}

// test/run.mjs reads the reason of a skipped test from its name.
const SHELL = MONGOSH === undefined ? describe.skip : describe;

SHELL(MONGOSH === undefined ? 'mongosh [skipped: mongosh not installed]' : 'mongosh', () => {
  it('runs scripts over TCP with a password, and over the unix socket without', async () => {
    for (const address of [uri, `${running.uri}shell`]) {
      const code =
        'db.c.drop(); db.c.insertMany([{ _id: 1, n: NumberLong("7") }, { _id: 2 }]); ' +
        'print(EJSON.stringify([db.c.find({ n: 7 }).toArray(), db.c.countDocuments(), db.version()]))';
      expect(await evaluate(address, code)).toBe('[[{"_id":1,"n":7}],2,"8.0.0"]');
    }
  });

  it('fails with a wrong password', async () => {
    expect(await evaluate(uri.replace(/:[^:@]+@/, ':wrong@'), 'db.c.find()')).toMatch(/Authentication failed/);
  });

  it.each([
    'db.stats()',
    'db.c.stats()',
    'db.c.validate()',
    'db.serverStatus()',
    'db.hostInfo()',
    'db.hello()',
    'db.adminCommand({ getLog: "startupWarnings" })',
    'db.adminCommand({ getCmdLineOpts: 1 })',
    'db.getMongo().getDBs()',
    'db.getCollectionInfos()',
    'db.getProfilingStatus()',
    'db.getSiblingDB("admin").getUsers()',
    'db.c.createIndex({ n: 1 }) && db.c.getIndexes()',
    'db.c.find({ n: 1 }).explain("executionStats")',
    'db.c.aggregate([{ $indexStats: {} }]).toArray()',
    'db.runCommand({ connectionStatus: 1, showPrivileges: true })',
  ])('%s', async (code) => {
    expect(await evaluate(uri, `(${code}); print("good")`)).toBe('good');
  });

  (script === undefined ? it.skip : it)(
    script === undefined ? 'answers at a terminal [skipped: script not installed]' : 'answers at a terminal',
    async () => {
      await type(uri, [
        ['db.typed.insertOne({ _id: 1 })', /acknowledged: true/],
        ['db.typed.find()', /\[ \{ _id: 1 \} \]/],
        ['show collections', /typed/],
        ['show dbs', /shell +\d/],
        ['db.nope()', /is not a function/],
      ]);
    },
    120_000,
  );
});
