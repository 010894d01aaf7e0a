import { execFile, spawnSync } from 'node:child_process';
import { repositoryFile } from '../../app/repository.js';

/** Whether a command can be run here, for tests that need an independent program. */
export const canRun = (command: string, ...args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** What a maintenance command of the service printed, and its exit code. */
export interface Ran {
  readonly code: number;
  readonly text: string;
}

/**
 * Runs a compiled maintenance command.
 *
 * @param name of the file in app/commands.
 * @param env its environment, besides PATH.
 */
export function runServiceCommand(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const given = { PATH: process.env['PATH'], SERVICE_LOG_LEVEL: 'silent', ...env };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [repositoryFile(`dist/app/commands/${name}.js`), ...args],
      { env: given },
      (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, text: stdout + stderr }),
    );
  });
}
