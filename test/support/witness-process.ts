import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { repositoryFile } from '../../app/repository.js';

export interface WitnessProcess {
  readonly url: string;
  /** Its verifier key. */
  readonly verifier: string;
  /** Its entry of SERVICE_WITNESSES. */
  readonly entry: string;
  stop(): Promise<void>;
}

/**
 * Starts the witness command, `witness.example/w1`.
 *
 * @param folder keeps its key and what it saw, under `witness/`; a second start there is the same witness.
 * @param logs verifier keys of the logs that it cosigns.
 */
export async function startWitness(folder: string, logs: readonly string[], port = 0): Promise<WitnessProcess> {
  const file = join(folder, 'logs.txt');
  await writeFile(file, logs.map((key) => `${key}\n`).join(''));
  const args = ['--name', 'witness.example/w1', '--logs', file, '--dir', join(folder, 'witness'), '--port', `${port}`];
  const child = spawn(process.execPath, [repositoryFile('dist/witness/main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (url !== undefined) {
      const verifier = line.replace('verifier key: ', '');
      return { url, verifier, entry: `${url} ${verifier}`, stop };
    }
    url = /(http:\/\/\S+)$/.exec(line)?.[1];
  }
  throw new Error('the witness did not start');
}
