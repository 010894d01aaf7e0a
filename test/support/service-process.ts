import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { repositoryFile } from '../../app/repository.js';

/** The operator key of services that tests start: given, so that a restart knows it again. */
export const TEST_OPERATOR_KEY = 'operator-key-for-tests-0123456789abcdef';

/** Generous: a machine that runs several suites may give each process little. */
const START_DEADLINE_MS = 120_000;

/** The real service, compiled, in a separate process, as a user starts it and a crash kills it. */
export interface ServiceProcess {
  readonly url: string;
  readonly process: ChildProcess;
  /** All of standard output up to now, for assertions on the log. */
  output(): string;
  /** SIGKILL, and resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGINT, and resolves with the exit code: a stop that waits for no client to leave, for the test is the only one. */
  stop(): Promise<number | null>;
  /** SIGTERM, as an orchestrator stops: clients are given five seconds to leave their connections. */
  terminate(): Promise<number | null>;
}

export async function startServiceProcess(
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ['--enable-source-maps', repositoryFile('dist/app/main.js')], {
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      SERVICE_DATA_DIR: dataDir,
      SERVICE_ADMIN_API_KEY: TEST_OPERATOR_KEY,
      SERVICE_LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the service did not start:\n${text}`));
    }, START_DEADLINE_MS);
    void exited.then((code) => reject(new Error(`the service ended with ${code}:\n${text}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      text += `${line}\n`;
      const found = /listens on (http:\/\/\S+)/.exec(line);
      if (found?.[1] === undefined) return;
      clearTimeout(timer);
      resolve(found[1]);
    });
  });
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return exited;
  };
  return {
    url,
    process: child,
    output: () => text,
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGINT'),
    terminate: () => end('SIGTERM'),
  };
}
