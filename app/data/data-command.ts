import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { BackupError } from '../../embedded-mongo/backup.js';
import { DataDirectoryError } from '../../embedded-mongo/launch.js';
import { type Config, configFromProcess } from '../../shared/config/config.js';
import { ConfigError } from '../../shared/config/schema.js';
import { StartRefused } from '../data-directory.js';

/** Name of the embedded database's folder within the data folder. */
export const DATABASE_FOLDER = 'embedded';

/** Where a backup keeps write-once files that lie outside of the data folder; also their place within it unless told. */
export const WORM_FOLDER = 'worm';

export interface DataCommand {
  readonly config: Config;
  /** The data folder, absolute. */
  readonly root: string;
  readonly operands: readonly string[];
  readonly force: boolean;
  say(line: string): void;
}

/** The frame of the commands on the data folder: arguments, refusals in one sentence, exit codes (2: refused). */
export async function runDataCommand(usage: string, work: (command: DataCommand) => Promise<boolean>): Promise<void> {
  const given = process.argv.slice(2);
  const flags = given.filter((argument) => argument.startsWith('-'));
  try {
    if (flags.some((flag) => flag !== '--force')) throw new StartRefused(`usage: ${usage}`);
    const config = configFromProcess();
    const good = await work({
      config,
      root: resolve(config.dataDir),
      operands: given.filter((argument) => !argument.startsWith('-')),
      force: flags.length > 0,
      say: (line) => process.stdout.write(`${line}\n`),
    });
    if (!good) process.exitCode = 1;
  } catch (error) {
    const expected = [ConfigError, StartRefused, BackupError, DataDirectoryError].some((kind) => error instanceof kind);
    process.stderr.write(`${expected ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`);
    process.exitCode = expected ? 2 : 1;
  }
}

export function onlyOperand(command: DataCommand, usage: string): string {
  const [first, ...more] = command.operands;
  if (first === undefined || more.length > 0) throw new StartRefused(`usage: ${usage}`);
  return resolve(first);
}

/** These commands know the embedded database alone; any other server has its own. */
export async function requireEmbedded({ config, root }: DataCommand): Promise<void> {
  if (config.mongodbUri !== null) {
    throw new StartRefused('MONGODB_URI is set: that server is backed up with its own tools, such as mongodump');
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

/** The folder of write-once files, where it is none of the data folder's own. */
export function wormFolderElsewhere({ config, root }: DataCommand): string | null {
  if (config.wormFolder === null) return null;
  const folder = resolve(config.wormFolder);
  return relative(root, folder).startsWith('..') ? folder : null;
}

export function sizeText(bytes: number): string {
  return bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
