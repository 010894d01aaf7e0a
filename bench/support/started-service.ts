import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { repositoryFile } from '../../app/repository.js';

const POLL_MS = 10;
/** The longest start that the measurement waits for. */
const MAX_START_MS = 120_000;
/** proc(5): times are in clock ticks, a hundred a second on Linux. */
const MS_A_TICK = 10;

/** One of the processes of a service. */
interface MeasuredProcess {
  readonly pid: number;
  /** The program without its folder, such as `signer/child-main.js`. */
  readonly program: string;
  processorMs(): Promise<number>;
}

interface StartedService {
  /** From the launch of the process to the first answer of `/v1/healthz`, and of a route that needs the whole service. */
  readonly aliveMs: number;
  readonly servingMs: number;
  readonly processes: readonly MeasuredProcess[];
  stop(): Promise<void>;
}

/** Starts the built service as `npm start` does, on a data folder, and waits until it answers. */
export async function startedService(folder: string): Promise<StartedService> {
  const port = await freePort();
  const from = performance.now();
  const child = spawn(process.execPath, ['--max-semi-space-size=64', repositoryFile('dist/app/main.js')], {
    env: { ...process.env, PORT: String(port), SERVICE_DATA_DIR: folder, SERVICE_LOG_LEVEL: 'error' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const stop = async (): Promise<void> => {
    child.kill('SIGINT');
    await gone;
  };
  try {
    const url = `http://127.0.0.1:${port}`;
    await answerOf(`${url}/v1/healthz`);
    const aliveMs = performance.now() - from;
    // Without a key the route answers 401: the first answer that needs the whole service.
    await answerOf(`${url}/v1/events`);
    return { aliveMs, servingMs: performance.now() - from, processes: await processesOf(child.pid ?? 0), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function processesOf(pid: number): Promise<readonly MeasuredProcess[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return Promise.all([pid, ...children.trim().split(' ').filter(Boolean).map(Number)].map(processOf));
}

async function processOf(pid: number): Promise<MeasuredProcess> {
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  const script = words.find((word) => word.endsWith('.js')) ?? '';
  return { pid, program: script.split('/').slice(-2).join('/'), processorMs: () => processorMs(pid) };
}

async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program is in parentheses and may have spaces; user and system time are 12 and 13 fields after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_A_TICK;
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
