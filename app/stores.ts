import { type Clock, systemClock } from '../shared/clock/clock.js';
import type { Config } from '../shared/config/config.js';
import type { WormBucket } from '../shared/config/worm-bucket.js';
import type { BaseDeps } from '../shared/contracts/deps.js';
import { connectDatabase, type Database } from '../shared/db/database.js';
import { errorCodeOf } from '../shared/errors/error-code.js';
import { StartRefused } from '../shared/errors/start-refused.js';
import { systemRandomness, ulidIds } from '../shared/ids/ids.js';
import type { Signer } from '../shared/signing/signer.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { type WormDeps, wormDatabase } from '../shared/worm/kept-worm-store.js';
import { testBucket } from '../shared/worm/objects/lock-test.js';
import { openFileWormStore, openMongoWormStore, openObjectWormStore } from '../shared/worm/open-worm-store.js';
import { folderRights, wormRights } from '../shared/worm/self-test.js';
import type { KeptWormStore } from '../shared/worm/worm-store.js';
import type { Closing } from './closing.js';
import type { Engine } from './data-directory.js';
import type { FrontDoor } from './front-door.js';
import { contentKeysFor } from './keys/content-keys.js';
import { openDatabase, type ResolvedDatabase } from './resolve-database.js';
import { openSigner } from './signer.js';

/** What tests and the testing kit replace; everything else is as in production. */
export interface StartOverrides {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** A database that is already starting; it stops with the service. */
  readonly database?: Promise<ResolvedDatabase>;
  /** A server that listens already; it closes with the service. */
  readonly door?: FrontDoor;
  /** True if the signer runs in a separate process; it runs in this one otherwise. */
  readonly signerProcess?: boolean;
  /** For work that signs nothing: with SERVICE_MASTER_KEY it needs no signer. */
  readonly signsNothing?: boolean;
}

/** The stores of every role, open before its subgraphs are. */
export interface Stores {
  readonly base: Omit<BaseDeps, 'systemLedger'>;
  readonly worm: KeptWormStore;
  readonly signer: Signer;
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
  const { signer, masterKey } = await openSigner(config, { clock, randomness, logger }, overrides, closing);
  const { database, retention, rotator } = await connectAll(config, resolved, closing);
  await refuseWeakWorm(config, database, logger);
  const base = { config, clock, ids, randomness, logger, database, masterKey, ...(retention ? { retention } : {}) };
  const epochKeys = await contentKeysFor(config, database, resolved.engine);
  const worm = await openWormStore(
    config,
    { ...base, limits: config.worm, ...(rotator ? { rotator } : {}), ...(epochKeys ? { epochKeys } : {}) },
    logger,
  );
  closing.add(() => worm.close());
  return { base, worm, signer, databaseDescription: resolved.description };
}

/** The connections to one database, each under its own credential. */
interface Connections {
  readonly database: Database;
  readonly retention?: Database;
  readonly rotator?: Database;
}

async function connectAll(config: Config, resolved: ResolvedDatabase, closing: Closing): Promise<Connections> {
  const database = await connectDatabase(resolved.uri).catch((error: unknown) => {
    throw unreachable(resolved.description, error);
  });
  closing.add(() => database.close());
  const retention = await openAs(config.retentionUri, 'MONGODB_RETENTION_URI', closing);
  const rotator = await openAs(config.rotatorUri, 'MONGODB_ROTATOR_URI', closing);
  return { database, ...(retention ? { retention } : {}), ...(rotator ? { rotator } : {}) };
}

/** Opens the database alone, for work on keys that no store may be open for. @throws StartRefused */
export async function openConnections(
  config: Config,
  logger: Logger,
  closing: Closing,
): Promise<Connections & { readonly engine: Engine }> {
  const resolved = await openDatabase(config, systemClock, logger);
  closing.add(() => resolved.stop());
  return { ...(await connectAll(config, resolved, closing)), engine: resolved.engine };
}

async function openWormStore(config: Config, deps: WormDeps, logger: Logger): Promise<KeptWormStore> {
  const { wormBucket: bucket, wormFolder: folder } = config;
  if (bucket !== null) return openBucket(config, deps, bucket);
  if (folder === null) return openMongoWormStore(deps);
  const store = await openFileWormStore(deps, folder).catch((error: unknown) => {
    const code = errorCodeOf(error);
    throw code === '' ? error : new StartRefused(`the folder ${folder} cannot be used (${code})`);
  });
  logger.info({ folder }, 'write-once bytes lie in files');
  const rights = await folderRights(folder);
  if (rights.length > 0 && config.wormStrict) throw tooMany(rights);
  if (rights.length > 0) logger.warn({ rights }, 'the write-once folder lets the service change what is stored');
  return store;
}

/** Opens the bucket; tests at each start that it keeps locked objects. It takes the real clock, because the bucket has no other. */
async function openBucket(config: Config, deps: WormDeps, settings: WormBucket): Promise<KeptWormStore> {
  const { bucket, mode } = settings;
  const store = await openObjectWormStore(deps, settings);
  deps.logger.info({ bucket, mode }, 'write-once bytes lie in a bucket');
  const { rights, mayHold } = await testBucket(settings, systemClock);
  if (config.wormStrict && (rights.length > 0 || !mayHold)) {
    await store.close();
    throw rights.length > 0 ? tooMany(rights) : new StartRefused(NO_HOLD);
  }
  if (rights.length > 0) deps.logger.warn({ rights }, 'the write-once bucket lets the service change what is stored');
  if (!mayHold) deps.logger.warn(NO_HOLD);
  return store;
}

const NO_HOLD =
  "the service's own credential may not set legal holds in the write-once bucket: grant s3:PutObjectLegalHold";

/** The same MongoDB under another credential, where one is given. */
async function openAs(uri: string | null, setting: string, closing: Closing): Promise<Database | undefined> {
  if (uri === null) return undefined;
  const database = await connectDatabase(uri).catch((error: unknown) => {
    throw unreachable(setting, error);
  });
  closing.add(() => database.close());
  return database;
}

/** The write-once database is tried at each start; in strict mode what should be refused, and is not, ends it. */
async function refuseWeakWorm(config: Config, database: Database, logger: Logger): Promise<void> {
  const strict = config.wormStrict;
  const missing = [
    ...(config.retentionUri === null ? ['MONGODB_RETENTION_URI'] : []),
    // Files and objects have no such right to give: the file system and the lock protect them.
    ...(config.rotatorUri === null && config.wormFolder === null && config.wormBucket === null
      ? ['MONGODB_ROTATOR_URI']
      : []),
  ];
  if (strict && missing.length > 0) throw new StartRefused(`SERVICE_WORM_STRICT needs ${missing.join(' and ')}`);
  const rights = await wormRights(wormDatabase(database));
  if (rights.length === 0) return;
  if (strict) throw tooMany(rights);
  if (config.mongodbUri !== null)
    logger.warn({ rights }, 'the write-once database lets the service change what is stored');
}

const tooMany = (rights: readonly string[]): StartRefused =>
  new StartRefused(`the service's own credential may ${rights.join(' and ')} what is write-once`);

/** A driver's text may repeat the connection string; its class and code say as much to an operator. */
function unreachable(description: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StartRefused) return error;
  const why = 'codeName' in error ? String(error.codeName) : error.name;
  return new StartRefused(`the database cannot be used (${why}): ${description}`);
}
