import { spawnSync } from 'node:child_process';

/** Whether a command can be run here, for tests that need an independent program. */
export const canRun = (command: string, ...args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;
