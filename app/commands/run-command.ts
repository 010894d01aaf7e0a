import { BackupError, DataDirectoryError } from '../../embedded-mongo/index.js';
import { type Config, configFromProcess } from '../../shared/config/config.js';
import { ConfigError } from '../../shared/config/schema.js';
import { createLogger } from '../../shared/telemetry/logger.js';
import { Closing } from '../closing.js';
import { StartRefused } from '../data-directory.js';
import { buildLocalSubgraphs } from '../local-subgraphs.js';
import { openStores, type Stores } from '../stores.js';

/** Exit code of a command that refused: wrong arguments, configuration or data folder. */
const EXIT_REFUSED = 2;
const EXIT_FAILED = 1;
const REFUSALS = [ConfigError, StartRefused, BackupError, DataDirectoryError];
const FILE_REFUSALS: readonly unknown[] = ['ENOENT', 'EACCES', 'EISDIR'];

/** What a maintenance command works with. It opens the stores and builds the subgraphs only when asked. */
interface Command {
  readonly config: Config;
  say(line: string): void;
  /** Opens the database and the write-once store; the command closes them at its end. */
  openStores(): Promise<Stores>;
  /** Opens the stores and builds all subgraphs in this process. */
  buildSubgraphs(): ReturnType<typeof buildLocalSubgraphs>;
}

/**
 * Runs a maintenance command: prints a refusal as one sentence and any other failure with its stack, and closes what it
 * opened. The exit code is 0, 1 when `work` returns false or fails, 2 when the command refuses.
 */
export async function runCommand(work: (command: Command) => Promise<boolean>): Promise<void> {
  const closing = new Closing();
  try {
    const config = configFromProcess();
    const open = (signsNothing: boolean): Promise<Stores> =>
      openStores(config, { signsNothing }, createLogger(config.logLevel), closing);
    const isGood = await work({
      config,
      say: (line) => process.stdout.write(`${line}\n`),
      openStores: () => open(true),
      buildSubgraphs: async () => buildLocalSubgraphs(await open(false), closing),
    });
    if (!isGood) process.exitCode = EXIT_FAILED;
  } catch (error) {
    const isRefusal = REFUSALS.some((kind) => error instanceof kind) || isAbsentFile(error);
    process.stderr.write(
      `${error instanceof Error ? ((isRefusal ? undefined : error.stack) ?? error.message) : error}\n`,
    );
    process.exitCode = isRefusal ? EXIT_REFUSED : EXIT_FAILED;
  } finally {
    await closing.run();
  }
}

const isAbsentFile = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && FILE_REFUSALS.includes(error.code);
