import { join, resolve } from 'node:path';
import type { Clock } from '../shared/clock/clock.js';
import type { Config } from '../shared/config/config.js';
import { privateFolder } from '../shared/files/private-folder.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { claimDataDirectory, type Engine, makeDataDirectory } from './data-directory.js';
import { type EmbeddedDeps, startEmbeddedDatabase } from './embedded-database.js';
import { dataKeysFor } from './keys/data-keys.js';

/** A database server that this process found or started. */
export interface ResolvedDatabase {
  readonly uri: string;
  /** Engine and place of the data, for the first log line. Contains no credentials. */
  readonly description: string;
  readonly engine: Engine;
  /** Stops a server that this process started. */
  stop(): Promise<void>;
}

/** Finds or starts the database. The process ends when its embedded database cannot be restarted. */
export const openDatabase = (config: Config, clock: Clock, logger: Logger): Promise<ResolvedDatabase> =>
  resolveDatabase(config, {
    clock,
    logger,
    onLost: (reason) => {
      logger.fatal({ reason }, 'the embedded database cannot be restarted; the process ends');
      process.exit(1);
    },
  });

/** Uses MONGODB_URI, else the mongod of MONGOMS_SYSTEM_BINARY, else the embedded database. Ignores a mongod on PATH. */
async function resolveDatabase(config: Config, deps: EmbeddedDeps): Promise<ResolvedDatabase> {
  if (config.mongodbUri !== null) return given(config.mongodbUri);
  const dataDir = resolve(config.dataDir);
  await makeDataDirectory(dataDir);
  if (config.mongodBinary !== null) return systemBinary(config.mongodBinary, dataDir);
  return embedded(config, dataDir, deps);
}

function given(uri: string): ResolvedDatabase {
  return { uri, description: `MongoDB at ${hostsOf(uri)} (MONGODB_URI)`, engine: 'external', stop: async () => {} };
}

/** @returns the hosts of a connection string, without user and password. */
function hostsOf(uri: string): string {
  const authority = uri.replace(/^mongodb(\+srv)?:\/\//, '').split(/[/?]/)[0] ?? '';
  return decodeURIComponent(authority.slice(authority.lastIndexOf('@') + 1));
}

async function embedded(config: Config, dataDir: string, deps: EmbeddedDeps): Promise<ResolvedDatabase> {
  await claimDataDirectory(dataDir, 'embedded');
  const folder = join(dataDir, 'embedded');
  const encryption = await dataKeysFor(config, folder);
  if (encryption === undefined && config.isEncryptedAtRest)
    deps.logger.warn({ folder }, 'the files of the database are not encrypted; run: npm run data-keys -- encrypt');
  const running = await startEmbeddedDatabase(folder, deps, encryption);
  return {
    uri: running.uri,
    description: `embedded database in ${folder}${encryption === undefined ? '' : ', encrypted'}`,
    engine: 'embedded',
    stop: () => running.stop(),
  };
}

async function systemBinary(binary: string, dataDir: string): Promise<ResolvedDatabase> {
  await claimDataDirectory(dataDir, 'wiredTiger');
  const folder = join(dataDir, 'mongod');
  await privateFolder(folder);
  // Most deployments never load this package.
  const { MongoMemoryServer } = await import('mongodb-memory-server-core');
  const server = await MongoMemoryServer.create({
    binary: { systemBinary: binary, checkMD5: false },
    instance: { dbPath: folder, storageEngine: 'wiredTiger' },
  });
  return {
    uri: server.getUri(),
    description: `mongod ${binary} (MONGOMS_SYSTEM_BINARY), data in ${folder}`,
    engine: 'wiredTiger',
    stop: async () => {
      await server.stop({ doCleanup: false });
    },
  };
}
