import { type Clock, systemClock } from '../shared/clock/clock.js';
import type { Config } from '../shared/config/config.js';
import type { BaseDeps } from '../shared/contracts/deps.js';
import { connectDatabase } from '../shared/db/database.js';
import { StartRefused } from '../shared/errors/start-refused.js';
import { systemRandomness, ulidIds } from '../shared/ids/ids.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { openMongoWormStore } from '../shared/worm/mongo-worm-store.js';
import type { WormStore } from '../shared/worm/worm-store.js';
import type { Closing } from './closing.js';
import { loadMasterKey } from './data-directory.js';
import { openDatabase, type ResolvedDatabase } from './resolve-database.js';

/** What tests and the testing kit replace; everything else is as in production. */
export interface StartOverrides {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** A database whose start is under way already; it is stopped with the service. */
  readonly database?: Promise<ResolvedDatabase>;
}

/** What every role stands on, before there are subgraphs to ask. */
export interface Stores {
  readonly base: Omit<BaseDeps, 'systemLedger'>;
  readonly worm: WormStore;
  readonly databaseDescription: string;
}

/** evidence.md section 4: what a real deployment adds to the application's own write-once discipline. */
const ABSENT_ON_EMBEDDED = [
  'separate database credentials that forbid updates and deletes of write-once collections',
  'copies on other machines',
];

/** Database, write-once store, master key, clock and randomness. @throws StartRefused */
export async function openStores(
  config: Config,
  overrides: StartOverrides,
  logger: Logger,
  closing: Closing,
): Promise<Stores> {
  const clock = overrides.clock ?? systemClock;
  const randomness = systemRandomness();
  const ids = ulidIds(() => clock.nowMs(), randomness);
  const resolved = await (overrides.database ?? openDatabase(config, clock, logger));
  closing.add(() => resolved.stop());
  logger.info({ database: resolved.description, engine: resolved.engine }, `database: ${resolved.description}`);
  if (resolved.engine === 'embedded')
    logger.warn({ absent: ABSENT_ON_EMBEDDED }, 'protections absent on this database');
  const masterKey = await loadMasterKey(config, randomness);
  const database = await connectDatabase(resolved.uri).catch((error: unknown) => {
    throw unreachable(resolved.description, error);
  });
  closing.add(() => database.close());
  const base = { config, clock, ids, randomness, logger, database, masterKey };
  const worm = await openMongoWormStore({ ...base, limits: config.worm });
  closing.add(() => worm.close());
  return { base, worm, databaseDescription: resolved.description };
}

/** A driver's text may repeat the connection string; its class and code say as much to an operator. */
function unreachable(description: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { codeName } = error as { readonly codeName?: unknown };
  const why = typeof codeName === 'string' ? codeName : error.name;
  return new StartRefused(`the database cannot be used (${why}): ${description}`);
}
