import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { openFilesOf, type Part, partsOf, until } from '../processes.js';
import type { Load } from '../write-load.js';

const FREEZE_MS = 15_000;
/** Connections that no test needs: they take the file descriptors of a service. */
const IDLE_CONNECTIONS = 40;
/** Descriptors that a process still gets before it has none. */
const SPARE_FILES = 4;

/** Stops a process for 15 s, as a paused virtual machine or a swapping host does. */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await delay(FREEZE_MS);
  process.kill(pid, 'SIGCONT');
}

/** Moves the clocks of all processes of a service by their next step (test/support/clock-ahead.mjs). */
export function stepClocks(pid: number): void {
  for (const part of partsOf(pid).values()) process.kill(part, 'SIGUSR2');
}

/** @returns a function that gives the process its former limit. */
function limitFiles(pid: number, files: number): () => void {
  const limitOf = (given: string): string => {
    const { status, stdout, stderr } = spawnSync(
      'prlimit',
      ['--pid', `${pid}`, `--nofile${given}`, '--noheadings', '--output', 'SOFT'],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`prlimit: ${stderr}`);
    return stdout.trim();
  };
  const before = limitOf('');
  limitOf(`=${files}:`);
  return () => void limitOf(`=${before}:`);
}

/** Leaves a process no file descriptor until the load has met that, and then gives the limit back. */
export async function withoutFiles(part: Part, pid: number, url: string, load: Load): Promise<void> {
  const limit = openFilesOf(pid) + SPARE_FILES;
  const restore = limitFiles(pid, limit);
  const idle: Socket[] = [];
  try {
    if (part === 'service') idle.push(...(await idleConnections(url)));
    const before = attempts(load);
    await until(() => attempts(load) >= before + IDLE_CONNECTIONS);
  } finally {
    restore();
    for (const socket of idle) socket.destroy();
  }
}

const attempts = (load: Load): number => load.receipts.length + load.failures.length + load.unanswered();

/** Opens more connections than the service has descriptors; those that it cannot accept end. */
async function idleConnections(url: string): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  for (let n = 0; n < IDLE_CONNECTIONS; n += 1) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    await once(socket, 'connect').catch(() => undefined);
    sockets.push(socket);
  }
  return sockets;
}
