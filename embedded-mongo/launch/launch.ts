import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ServerOptions } from '../server/server.js';
import { DataDirectoryError, type DataDirectoryFault } from '../store/data-directory.js';
import { isReadyMessage, type Place, placeFor, type ReadyMessage, reachedAt, type StartMessage } from './place.js';

export { DataDirectoryError } from '../store/data-directory.js';

/** A database that accepts connections. */
export interface Running {
  /** For drivers: `mongodb://` with the percent-encoded socket path; with TCP only, with user and password. */
  readonly uri: string;
  /** "" when it listens on TCP only. */
  readonly socketPath: string;
  /** Of its TCP listener, if it has one. */
  readonly port?: number;
  /** Of the child; undefined for a thread. */
  readonly pid?: number;
  /** Finishes running writes and closes; resolves when all resources are released. */
  stop(): Promise<void>;
  /** Ends the database at once, like a crash. */
  kill(): void;
}

interface ThreadOptions extends Omit<ServerOptions, 'socketPath' | 'system'> {
  /** The transport of the starter: a unix socket, or loopback TCP where the platform has none. */
  readonly transport?: 'socket' | 'tcp';
}

interface ChildOptions extends ThreadOptions {
  readonly socketPath?: string;
  /** Called when the child ends unexpectedly. */
  readonly onExit?: (reason: string) => void;
}

/** Replies and batches are short-lived: a larger young generation saves copies and collections. */
const YOUNG_GENERATION = '--max-semi-space-size=64';
/** Long enough for a machine that is busy with other work. */
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;

/** Runs the database in a child process, which ends cleanly when this process ends. */
export async function startChild(options: ChildOptions): Promise<Running> {
  const place = placeFor(options, options.socketPath);
  const message = startMessage(options, place);
  const child = spawn(process.execPath, [YOUNG_GENERATION, entryPoint('child-main')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  let port: number | undefined;
  try {
    child.send(message);
    port = await ready((listen) => child.on('message', listen), exited);
  } catch (error) {
    child.kill('SIGKILL');
    await exited;
    await place.remove();
    throw error;
  }
  let asked = false;
  const left = exited.then(async (reason) => {
    await place.remove();
    if (!asked) options.onExit?.(reason);
  });
  // The child must not keep its parent alive; the end of the parent closes the channel and ends the child.
  child.unref();
  child.channel?.unref();
  return {
    ...reachedAt(place, port, options.dataDir),
    ...(child.pid === undefined ? {} : { pid: child.pid }),
    stop: async () => {
      asked = true;
      await stopChild(child, exited);
      await left;
    },
    kill: () => {
      asked = true;
      child.kill('SIGKILL');
    },
  };
}

async function stopChild(child: ChildProcess, exited: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}

/** Runs the database in a worker thread; without a directory on a temporary one. */
export async function startWorker(options: Partial<ThreadOptions> = {}): Promise<Running> {
  const temporary = options.dataDir === undefined ? mkdtempSync(join(tmpdir(), 'embedded-mongo-')) : undefined;
  const dataDir = options.dataDir ?? temporary ?? '';
  const place = placeFor({ ...options, dataDir });
  const clean = async () => {
    await place.remove();
    if (temporary) rmSync(temporary, { recursive: true, force: true });
  };
  const worker = new Worker(entryPoint('worker-main'), {
    workerData: startMessage({ ...options, dataDir }, place),
    execArgv: [],
  });
  const exited = new Promise<string>((resolve) => {
    worker.once('exit', (code) => resolve(`code ${code}`));
    worker.once('error', (error) => resolve(error instanceof Error ? error.message : String(error)));
  });
  let port: number | undefined;
  try {
    port = await ready((listen) => worker.on('message', listen), exited);
  } catch (error) {
    await worker.terminate();
    await clean();
    throw error;
  }
  worker.unref();
  return {
    ...reachedAt(place, port, dataDir),
    stop: async () => {
      worker.ref();
      worker.postMessage('stop');
      await exited;
      await clean();
    },
    kill: () => {
      void worker.terminate().then(clean);
    },
  };
}

/** Runs the database on the event loop of this thread, for tests of the server. */
export async function startInThread(options: ThreadOptions): Promise<Running> {
  // Loaded only here: a process that starts a child does not need the server's code.
  const { startServer } = await import('../server/server.js');
  const place = placeFor(options);
  const server = await startServer({ ...options, ...place.listen });
  const stop = async () => {
    await server.close();
    await place.remove();
  };
  return { ...reachedAt(place, server.port, options.dataDir), stop, kill: () => void stop() };
}

/** Callbacks stay here because they cannot be sent. */
function startMessage({ onExit: _, transport: __, ...options }: ChildOptions, place: Place): StartMessage {
  return { ...options, ...place.listen };
}

/** Resolves with the TCP port at the ready message; rejects with the reason otherwise. */
async function ready(
  listen: (receive: (message: unknown) => void) => unknown,
  exited: Promise<string>,
): Promise<number | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const answer = await Promise.race([
    new Promise<ReadyMessage>((resolve) =>
      listen((message) => {
        if (isReadyMessage(message)) resolve(message);
      }),
    ),
    exited.then((reason): ReadyMessage => ({ error: endedWhileStarting(reason) })),
    new Promise<ReadyMessage>((resolve) => {
      timer = setTimeout(() => resolve({ error: { message: 'the database did not start in time' } }), START_TIMEOUT_MS);
    }),
  ]);
  clearTimeout(timer);
  if (!answer.error) return answer.port;
  const { fault, message } = answer.error;
  throw fault ? new DataDirectoryError(fault, message) : new Error(message);
}

/** LMDB crashes with a signal on damaged pages. */
function endedWhileStarting(reason: string): { fault?: DataDirectoryFault; message: string } {
  if (!/^SIG(SEGV|BUS|ABRT|FPE|ILL)$/.test(reason)) return { message: `the database ended while starting (${reason})` };
  return {
    fault: 'damaged',
    message: `the database ended while starting (${reason}): its files are damaged; restore a backup`,
  };
}

/** Processes and threads run compiled code: next to this file, or in `dist` when a test runner loads the source. */
function entryPoint(name: 'child-main' | 'worker-main'): string {
  const here = fileURLToPath(import.meta.url);
  const folder = dirname(here);
  const compiled = here.endsWith('.ts')
    ? join(folder, '..', '..', 'dist', 'embedded-mongo', 'launch', `${name}.js`)
    : join(folder, `${name}.js`);
  if (!existsSync(compiled)) throw new Error(`${compiled} is missing: run "npm run build" first`);
  return compiled;
}
