import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ReadyMessage, StartMessage } from './launch-messages.js';
import { type Place, placeFor, reachedAt } from './launch-place.js';
import type { ServerOptions } from './server.js';
import { DataDirectoryError, type DataDirectoryFault } from './store/data-directory-error.js';

export { DataDirectoryError } from './store/data-directory-error.js';

/** A database that accepts connections. */
export interface Running {
  /** For drivers: `mongodb://` with the socket's path percent-encoded; over TCP alone with user and password. */
  readonly uri: string;
  /** "" where it listens on TCP alone. */
  readonly socketPath: string;
  /** Of its TCP listener, if it has one. */
  readonly port?: number;
  /** Of the child; undefined for a thread. */
  readonly pid?: number;
  /** Finishes the writes under way and closes; resolves when everything is released. */
  stop(): Promise<void>;
  /** Ends it at once, as a crash would. */
  kill(): void;
}

export interface ThreadOptions extends Omit<ServerOptions, 'socketPath' | 'system'> {
  /** How the starter reaches it: a unix socket, or loopback TCP where the platform has none. */
  readonly transport?: 'socket' | 'tcp';
}

export interface ChildOptions extends ThreadOptions {
  readonly socketPath?: string;
  /** Called when the child ends without having been asked to. */
  readonly onExit?: (reason: string) => void;
}

/** Replies and batches die young: a larger young generation saves copying them, and the collector's time. */
const youngGeneration = '--max-semi-space-size=64';
const startTimeoutMs = 30_000;
const stopTimeoutMs = 15_000;

/** Runs the database in a process of its own, which ends (cleanly) when this one does. */
export async function startChild(options: ChildOptions): Promise<Running> {
  const place = placeFor(options, options.socketPath);
  const message = startMessage(options, place);
  const child = spawn(process.execPath, [youngGeneration, entryPoint('child-main')], {
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
    place.remove();
    throw error;
  }
  let asked = false;
  void exited.then((reason) => {
    place.remove();
    if (!asked) options.onExit?.(reason);
  });
  // The child must not keep its parent alive; the parent's end closes the channel, which ends the child.
  child.unref();
  child.channel?.unref();
  return {
    ...reachedAt(place, port, options.dataDir),
    ...(child.pid === undefined ? {} : { pid: child.pid }),
    stop: async () => {
      asked = true;
      await stopChild(child, exited);
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
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await exited;
  clearTimeout(timer);
}

/** Runs the database in a worker thread; without a directory on a throw-away one. */
export async function startWorker(options: Partial<ThreadOptions> = {}): Promise<Running> {
  const temporary = options.dataDir === undefined ? mkdtempSync(join(tmpdir(), 'embedded-mongo-')) : undefined;
  const dataDir = options.dataDir ?? temporary ?? '';
  const place = placeFor({ ...options, dataDir });
  const clean = () => {
    place.remove();
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
    clean();
    throw error;
  }
  worker.unref();
  return {
    ...reachedAt(place, port, dataDir),
    stop: async () => {
      worker.ref();
      worker.postMessage('stop');
      await exited;
      clean();
    },
    kill: () => {
      void worker.terminate().then(clean);
    },
  };
}

/** Runs the database on this thread's own event loop: for tests of the server itself. */
export async function startInThread(options: ThreadOptions): Promise<Running> {
  // Loaded here only: a process that starts a child has no use for the server's own code.
  const { startServer } = await import('./server.js');
  const place = placeFor(options);
  const server = await startServer({ ...options, ...place.listen });
  const stop = async () => {
    await server.close();
    place.remove();
  };
  return { ...reachedAt(place, server.port, options.dataDir), stop, kill: () => void stop() };
}

/** Only what can be sent: callbacks stay here. */
function startMessage({ onExit: _, transport: __, ...options }: ChildOptions, place: Place): StartMessage {
  return { ...options, ...place.listen };
}

/** Resolves at the first message, if it is a good one, with the TCP port; rejects with the reason otherwise. */
async function ready(
  listen: (receive: (message: unknown) => void) => unknown,
  exited: Promise<string>,
): Promise<number | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const answer = await Promise.race([
    new Promise<ReadyMessage>((resolve) => listen((message) => resolve(message as ReadyMessage))),
    exited.then((reason): ReadyMessage => ({ error: endedWhileStarting(reason) })),
    new Promise<ReadyMessage>((resolve) => {
      timer = setTimeout(() => resolve({ error: { message: 'the database did not start in time' } }), startTimeoutMs);
    }),
  ]);
  clearTimeout(timer);
  if (!answer.error) return answer.port;
  const { fault, message } = answer.error;
  throw fault ? new DataDirectoryError(fault, message) : new Error(message);
}

/** A signal is what lmdb makes of pages that are not what they should be. */
function endedWhileStarting(reason: string): { fault?: DataDirectoryFault; message: string } {
  if (!/^SIG(SEGV|BUS|ABRT|FPE|ILL)$/.test(reason)) return { message: `the database ended while starting (${reason})` };
  return {
    fault: 'damaged',
    message: `the database ended while starting (${reason}): its files are damaged; restore a backup`,
  };
}

/** Processes and threads run compiled code: beside this file, or in `dist` when this is the source under a test runner. */
function entryPoint(name: 'child-main' | 'worker-main'): string {
  const here = fileURLToPath(import.meta.url);
  const folder = dirname(here);
  const compiled = here.endsWith('.ts')
    ? join(folder, '..', 'dist', 'embedded-mongo', `${name}.js`)
    : join(folder, `${name}.js`);
  if (!existsSync(compiled)) throw new Error(`${compiled} is missing: run "npm run build" first`);
  return compiled;
}
