import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { type Running, startChild, startInThread } from '../../launch/launch.js';
import { failureOf, temporaryDirectory, until } from '../test-server.js';

const KILLS = 3;
const serveMain = join(
  dirname(fileURLToPath(import.meta.url)),
  ...['..', '..', '..', 'dist', 'embedded-mongo', 'launch', 'serve-main.js'],
);

async function insertAndCount(uri: string): Promise<number> {
  const client = await MongoClient.connect(uri);
  const c = client.db('restart').collection('c');
  await c.insertOne({});
  const count = await c.estimatedDocumentCount();
  await client.close();
  return count;
}

/** Kills a child and waits until its starter has seen it. */
async function kill(running: Running, ended: () => boolean): Promise<void> {
  if (running.pid === undefined) throw new Error('the child has no pid');
  process.kill(running.pid, 'SIGKILL');
  await until(ended);
}

const socketsIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.sock'));

describe('a killed child', () => {
  it.each([
    ['its unix socket', 'data', 'socket'],
    ['its unix socket outside of a directory with a long path', 'x'.repeat(120), 'socket'],
    ['its TCP port', 'data', 'tcp'],
  ] as const)('starts again on %s, three times in a row', async (_name, folder, transport) => {
    const directory = temporaryDirectory();
    const dataDir = join(directory.path, folder);
    let ends = 0;
    const onExit = () => {
      ends += 1;
    };
    let running = await startChild({ dataDir, transport, onExit });
    const { uri, socketPath, port } = running;
    expect(await insertAndCount(uri)).toBe(1);
    for (let kills = 1; kills <= KILLS; kills += 1) {
      await kill(running, () => ends === kills);
      running = await startChild({
        dataDir,
        transport,
        onExit,
        ...(port === undefined ? { socketPath } : { tcp: { port } }),
      });
      expect(running.uri).toBe(uri);
      expect(await insertAndCount(uri)).toBe(kills + 1);
    }
    await running.stop();
    if (transport === 'socket') expect(existsSync(socketPath)).toBe(false);
    expect(socketsIn(dataDir)).toEqual([]);
    expect(readdirSync(dataDir)).not.toContain('owner.lock');
    directory.remove();
  });

  it('leaves no socket behind: the next start removes those of killed servers and their parents', async () => {
    const directory = temporaryDirectory();
    const { path: dataDir } = directory;
    mkdirSync(dataDir, { recursive: true });
    // A socket file whose listener was killed, as SIGKILL leaves it.
    for (const name of ['db-00000001.sock', 'owner-00000002.sock']) {
      const script = `require('node:net').createServer().listen(${JSON.stringify(join(dataDir, name))}, () => process.kill(process.pid, 'SIGKILL'))`;
      await once(spawn(process.execPath, ['-e', script]), 'exit');
    }
    expect(socketsIn(dataDir)).toHaveLength(2);
    const running = await startInThread({ dataDir });
    expect(socketsIn(dataDir).filter((name) => /0000000[12]/.test(name))).toEqual([]);
    await running.stop();
    expect(socketsIn(dataDir)).toEqual([]);
    directory.remove();
  });

  it('keeps the socket of another server that uses the path', async () => {
    const directory = temporaryDirectory();
    const socketPath = join(directory.path, 'shared.sock');
    const first = await startChild({ dataDir: join(directory.path, 'a'), socketPath });
    const second = startChild({ dataDir: join(directory.path, 'b'), socketPath });
    expect(await failureOf(second)).toMatchObject({ fault: 'in-use' });
    expect(lstatSync(socketPath).isSocket()).toBe(true);
    expect(await insertAndCount(first.uri)).toBe(1);
    await first.stop();
    directory.remove();
  });

  it('is not mistaken for a program that got its TCP port', async () => {
    const directory = temporaryDirectory();
    const { path: dataDir } = directory;
    let ended = false;
    const running = await startChild({ dataDir, transport: 'tcp', onExit: () => (ended = true) });
    await kill(running, () => ended);
    const other = createServer().listen(running.port, '127.0.0.1');
    await once(other, 'listening');
    const next = await startInThread({ dataDir });
    expect(await insertAndCount(next.uri)).toBe(1);
    await next.stop();
    other.close();
    directory.remove();
  });
});

describe('one owner per directory', () => {
  it('a server is refused while another starts or runs, with each of the two lock files gone', async () => {
    const directory = temporaryDirectory();
    const { path: dataDir } = directory;
    const running = await startChild({ dataDir });
    for (const name of ['owner.json', 'owner.lock']) {
      rmSync(join(dataDir, name));
      expect(await failureOf(startInThread({ dataDir }))).toMatchObject({ fault: 'in-use' });
    }
    await running.stop();
    directory.remove();
  });
});

describe('embedded-mongo --socket PATH', () => {
  /** Resolves with the program after it has printed its addresses. */
  async function serve(args: readonly string[]): Promise<{ program: ChildProcess; uri: string }> {
    const program = spawn(process.execPath, [serveMain, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    program.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    if (program.stdout === null) throw new Error('the program has no output');
    const lines = createInterface({ input: program.stdout });
    const [uri] = (await Promise.race([once(lines, 'line'), once(program, 'exit').then(() => [said])])) as [string];
    return { program, uri };
  }

  it('serves the socket again after a kill', async () => {
    const directory = temporaryDirectory();
    const args = ['--data', join(directory.path, 'data'), '--socket', join(directory.path, 'mine.sock'), '--no-tcp'];
    for (let starts = 1; starts <= KILLS; starts += 1) {
      const { program, uri } = await serve(args);
      expect(uri).toBe(`mongodb://${encodeURIComponent(join(directory.path, 'mine.sock'))}/`);
      expect(await insertAndCount(uri)).toBe(starts);
      const ended = once(program, 'exit');
      program.kill('SIGKILL');
      await ended;
    }
    directory.remove();
  });

  it('serves the same TCP port and socket again after a kill', async () => {
    const directory = temporaryDirectory();
    const data = join(directory.path, 'data');
    const args = ['--data', data, '--socket', join(directory.path, 'mine.sock'), '--port', '0'];
    const first = await serve(args);
    const owner: unknown = JSON.parse(readFileSync(join(data, 'owner.json'), 'utf8'));
    expect(owner).toMatchObject({ socketPath: join(directory.path, 'mine.sock') });
    first.program.kill('SIGKILL');
    await once(first.program, 'exit');
    const second = await serve(args);
    expect(await insertAndCount(second.uri)).toBe(1);
    second.program.kill('SIGTERM');
    await once(second.program, 'exit');
    expect(existsSync(join(directory.path, 'mine.sock'))).toBe(false);
    directory.remove();
  });

  it('--test-commands offers fail points', async () => {
    const directory = temporaryDirectory();
    const { program, uri } = await serve(['--data', directory.path, '--no-tcp', '--test-commands']);
    const client = await MongoClient.connect(uri);
    const off = { configureFailPoint: 'failCommand', mode: 'off' };
    expect(await client.db('admin').command(off)).toMatchObject({ ok: 1 });
    expect(await client.db('admin').command({ getParameter: 1, enableTestCommands: 1 })).toMatchObject({
      enableTestCommands: true,
    });
    await client.close();
    program.kill('SIGTERM');
    await once(program, 'exit');
    directory.remove();
  });
});
