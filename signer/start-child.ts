import { type ChildProcess, spawn } from 'node:child_process';
import { StartRefused } from '../shared/errors/start-refused.js';
import { compiledFile } from '../shared/threads/compiled-file.js';

interface ChildOptions {
  readonly folder: string;
  readonly masterKeyHex: string | null;
  readonly sharedSocket?: string | null;
}

/** A signer that runs in a separate process. */
export interface SignerChild {
  readonly pid: number | undefined;
  /** True while the process lives. */
  readonly isAlive: () => boolean;
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;

/** @returns null while another process holds the folder. @throws StartRefused */
export async function startSignerChild(options: ChildOptions): Promise<SignerChild | null> {
  const child = spawn(process.execPath, ['--max-old-space-size=2048', compiledFile(import.meta.url, 'child-main.js')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Secrets of the environment are not the signer's; it gets what it needs by its channel.
    env: {},
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const { folder, masterKeyHex, sharedSocket = null } = options;
  child.send({ folder, masterKeyHex, sharedSocket });
  const word = await firstWord(child, exited);
  if (word === 'held') return null;
  if (word !== 'ready') {
    child.kill('SIGKILL');
    throw new StartRefused(typeof word === 'string' ? word : 'the signer did not start');
  }
  child.unref();
  child.channel?.unref();
  return {
    pid: child.pid,
    exited,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

function firstWord(child: ChildProcess, exited: Promise<void>): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), START_TIMEOUT_MS);
    const end = (word: string | undefined): void => {
      clearTimeout(timer);
      resolve(word);
    };
    child.once('message', (message: unknown) => {
      if (typeof message === 'string') end(message);
      else end(isRefused(message) ? message.refused : undefined);
    });
    void exited.then(() => end(undefined));
  });
}

const isRefused = (message: unknown): message is { readonly refused: string } =>
  typeof message === 'object' && message !== null && 'refused' in message && typeof message.refused === 'string';
