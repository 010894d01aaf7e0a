import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { repositoryFile } from '../../app/repository.js';

export interface ReceiverStats {
  readonly counted: { readonly requests: number; readonly firstMs: number; readonly lastMs: number };
  /** Message and the time of its first byte, epoch milliseconds. */
  readonly times: readonly (readonly [string, number])[];
}

export interface ReceiverProcess {
  readonly url: string;
  stats(): Promise<ReceiverStats>;
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts receiver-process.ts. */
export async function startReceiverProcess(): Promise<ReceiverProcess> {
  const child = spawn(process.execPath, [repositoryFile('dist/bench/webhooks/receiver-process.js')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the receiver ended with ${code} before it listened`)));
    createInterface({ input: child.stdout }).once('line', resolve);
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    stats: async () => (await (await fetch(`${url}/stats`)).json()) as ReceiverStats,
    reset: async () => void (await fetch(`${url}/reset`)),
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    },
  };
}
