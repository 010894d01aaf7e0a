import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { type Running, startChild, startInThread, startWorker } from '../../launch/launch.js';
import { failureOf, temporaryDirectory, until } from '../test-server.js';

async function insertAndCount(running: Running): Promise<number> {
  const client = await MongoClient.connect(running.uri);
  const c = client.db('launch').collection('c');
  await c.insertOne({});
  const count = await c.estimatedDocumentCount();
  await client.close();
  return count;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('ways to run', () => {
  it('child, worker and own thread keep what the one before wrote', async () => {
    const directory = temporaryDirectory();
    const { path: dataDir } = directory;
    const starts = [() => startChild({ dataDir }), () => startWorker({ dataDir }), () => startInThread({ dataDir })];
    for (const [position, start] of starts.entries()) {
      const running = await start();
      expect(await insertAndCount(running)).toBe(position + 1);
      await running.stop();
      expect(existsSync(running.socketPath)).toBe(false);
    }
    directory.remove();
  });

  it('a worker without a directory leaves nothing behind', async () => {
    const running = await startWorker();
    expect(await insertAndCount(running)).toBe(1);
    await running.stop();
    expect(existsSync(running.socketPath)).toBe(false);
  });

  it('a data directory too long for a socket gets its socket elsewhere', async () => {
    const directory = temporaryDirectory();
    const dataDir = join(directory.path, 'x'.repeat(120));
    const running = await startInThread({ dataDir });
    expect(Buffer.byteLength(running.socketPath)).toBeLessThan(107);
    expect(await insertAndCount(running)).toBe(1);
    await running.stop();
    directory.remove();
  });

  it('the socket is for its owner alone', async () => {
    const directory = temporaryDirectory();
    const running = await startInThread({ dataDir: directory.path });
    expect(statSync(running.socketPath).mode & 0o077).toBe(0);
    await running.stop();
    directory.remove();
  });
});

describe('one owner per directory', () => {
  it('a second one is refused while the first lives, whatever it is', async () => {
    const directory = temporaryDirectory();
    const { path: dataDir } = directory;
    const first = await startChild({ dataDir });
    expect(await failureOf(startInThread({ dataDir }))).toMatchObject({ name: 'DataDirectoryError', fault: 'in-use' });
    expect(await failureOf(startChild({ dataDir }))).toMatchObject({ fault: 'in-use' });
    expect(await insertAndCount(first)).toBe(1);
    await first.stop();
    directory.remove();
  });

  it('the lock of a killed one is taken over', async () => {
    const directory = temporaryDirectory();
    const { path: dataDir } = directory;
    let reason: string | undefined;
    const first = await startChild({ dataDir, onExit: (why) => (reason = why) });
    await insertAndCount(first);
    if (first.pid === undefined) throw new Error('the child has no pid');
    process.kill(first.pid, 'SIGKILL');
    await until(() => reason !== undefined);
    expect(reason).toBe('SIGKILL');
    const second = await startChild({ dataDir });
    expect(await insertAndCount(second)).toBe(2);
    await second.stop();
    directory.remove();
  });

  it('a child ends with its parent, however that ends', async () => {
    const directory = temporaryDirectory();
    const launch = join(
      dirname(fileURLToPath(import.meta.url)),
      '..',
      '..',
      '..',
      'dist',
      'embedded-mongo',
      'launch',
      'launch.js',
    );
    const script = `import { startChild } from ${JSON.stringify(launch)};
      const { pid } = await startChild({ dataDir: ${JSON.stringify(directory.path)} });
      process.stdout.write(String(pid));
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pid] = await once(parent.stdout, 'data');
    parent.kill('SIGKILL');
    await until(() => !isAlive(Number(String(pid))));
    const next = await startInThread({ dataDir: directory.path });
    await next.stop();
    directory.remove();
  });

  it('of several starters at a stale lock exactly one wins', async () => {
    const directory = temporaryDirectory();
    const { path: dataDir } = directory;
    writeFileSync(join(dataDir, 'owner.json'), JSON.stringify({ pid: 1, socketPath: join(dataDir, 'gone.sock') }));
    const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => startInThread({ dataDir })));
    const winners = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(winners).toHaveLength(1);
    for (const winner of winners) await winner.stop();
    directory.remove();
  });
});

describe('foreign and incomplete directories', () => {
  it("another engine's files are left alone", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory.path, 'WiredTiger'), 'WiredTiger');
    expect(await failureOf(startInThread({ dataDir: directory.path }))).toMatchObject({ fault: 'foreign' });
    expect(readdirSync(directory.path)).toEqual(['WiredTiger']);
    directory.remove();
  });

  it.each([
    ['garbage', (file: string) => writeFileSync(file, Buffer.alloc(20_000, 7))],
    ['an empty file', (file: string) => writeFileSync(file, '')],
    ['a file cut short', (file: string) => truncateSync(file, 8_192)],
  ])('%s is refused as damaged, by a child too', async (_name, damage) => {
    const directory = temporaryDirectory();
    const whole = join(directory.path, 'whole');
    const running = await startInThread({ dataDir: whole });
    for (let i = 0; i < 3; i++) await insertAndCount(running);
    await running.stop();
    const dataDir = join(directory.path, 'damaged');
    mkdirSync(dataDir);
    copyFileSync(join(whole, 'data.mdb'), join(dataDir, 'data.mdb'));
    damage(join(dataDir, 'data.mdb'));
    expect(await failureOf(startInThread({ dataDir }))).toMatchObject({ fault: 'damaged' });
    expect(await failureOf(startChild({ dataDir }))).toMatchObject({ fault: 'damaged' });
    directory.remove();
  });
});
