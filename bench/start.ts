import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repositoryFile } from '../app/repository.js';
import { atMost, type Figure } from './support/measure.js';

const ROUNDS = 5;
const POLL_MS = 10;
/** The longest start that the measurement waits for. */
const MAX_START_MS = 120_000;

interface Start {
  readonly aliveMs: number;
  readonly servingMs: number;
}

/** Measures starts of a built tree, from the launch of the process: the first on an empty folder, then on a used one. */
export async function benchStart(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-bench-start-'));
  try {
    const first = await startOnce(folder);
    const later: Start[] = [];
    while (later.length < ROUNDS) later.push(await startOnce(folder));
    const note = (ms: number): string[] => [`on an empty data folder: ${Math.round(ms)} ms`];
    return [
      atMost('start to GET /v1/healthz', 'ms', 2_500, valuesOf(later, 'aliveMs'), note(first.aliveMs)),
      atMost('start to the answer of another route', 'ms', 2_500, valuesOf(later, 'servingMs'), note(first.servingMs)),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const valuesOf = (starts: readonly Start[], name: keyof Start): number[] => starts.map((start) => start[name]);

async function startOnce(folder: string): Promise<Start> {
  const port = await freePort();
  const from = performance.now();
  const child = spawn(process.execPath, ['--max-semi-space-size=64', repositoryFile('dist/app/main.js')], {
    env: { ...process.env, PORT: String(port), SERVICE_DATA_DIR: folder, SERVICE_LOG_LEVEL: 'error' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  try {
    const url = `http://127.0.0.1:${port}`;
    await answerOf(`${url}/v1/healthz`);
    const aliveMs = performance.now() - from;
    // Without a key the route answers 401: the first answer that needs the whole service.
    await answerOf(`${url}/v1/events`);
    return { aliveMs, servingMs: performance.now() - from };
  } finally {
    child.kill('SIGINT');
    await gone;
  }
}

/** Repeats the request until the server answers. */
async function answerOf(url: string): Promise<void> {
  const end = performance.now() + MAX_START_MS;
  while (performance.now() < end) {
    try {
      const answer = await fetch(url);
      await answer.arrayBuffer();
      return;
    } catch {
      await sleep(POLL_MS);
    }
  }
  throw new Error(`no answer of ${url} within ${MAX_START_MS} ms`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
