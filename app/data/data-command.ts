import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Config } from '../../shared/config/config.js';
import type { ReportProgress } from '../../shared/progress/progress.js';
import { runCommand } from '../commands/run-command.js';
import { StartRefused } from '../data-directory.js';

/** Folder of the embedded database, inside the data folder. */
export const DATABASE_FOLDER = 'embedded';

/** Folder of the write-once files inside a backup, and inside the data folder unless SERVICE_WORM_DIR names another. */
export const WORM_FOLDER = 'worm';

interface DataCommand {
  readonly config: Config;
  /** The data folder, absolute. */
  readonly root: string;
  readonly operands: readonly string[];
  readonly force: boolean;
  say(line: string, result?: object): void;
  progress(unit: string): ReportProgress;
}

/** Runs a command on the data folder: `--force` is its only flag. Exit codes as `runCommand` has them. */
export const runDataCommand = (usage: string, work: (command: DataCommand) => Promise<boolean>): Promise<void> =>
  runCommand(({ config, say, progress }) => {
    const given = process.argv.slice(2);
    const flags = given.filter((argument) => argument.startsWith('-'));
    if (flags.some((flag) => flag !== '--force')) throw new StartRefused(`usage: ${usage}`);
    const operands = given.filter((argument) => !argument.startsWith('-'));
    return work({ config, root: resolve(config.dataDir), operands, force: flags.length > 0, say, progress });
  });

export function onlyOperand(command: DataCommand, usage: string): string {
  const [first, ...more] = command.operands;
  if (first === undefined || more.length > 0) throw new StartRefused(`usage: ${usage}`);
  return resolve(first);
}

/** Refuses any engine but the embedded database: other servers have tools that back them up. */
export async function requireEmbedded({ config, root }: DataCommand): Promise<void> {
  if (config.mongodbUri !== null) {
    throw new StartRefused('MONGODB_URI is set: that server has tools of its maker, such as mongodump');
  }
  const marker = await readFile(join(root, 'engine.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new StartRefused(`${root} holds no data of this service (it has no engine.json)`);
    throw error;
  });
  if (!marker.includes('"embedded"')) {
    throw new StartRefused(`${root} was not made by the embedded database: use the tools of the engine that made it`);
  }
}

/** @returns the folder of the write-once files when it is outside the data folder. */
export function wormFolderElsewhere({ config, root }: DataCommand): string | null {
  if (config.wormFolder === null) return null;
  const folder = resolve(config.wormFolder);
  return relative(root, folder).startsWith('..') ? folder : null;
}

export function sizeText(bytes: number): string {
  return bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
