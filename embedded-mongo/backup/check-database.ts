import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asNumber, isTrue } from '../bson/number.js';
import { BsonDoc } from '../bson/value.js';
import { startChild } from '../launch/launch.js';
import type { Encryption } from '../store/data-cipher.js';
import { connectOptions, DataDirectoryError, FIRST_USER, PASSWORD_FILE_NAME } from '../store/data-directory.js';
import { liveOwner } from '../store/owner-lock.js';
import { WireClient } from '../wire/client.js';
import { BackupError } from './manifest.js';

/** A connection to the database in a folder, and whether another process runs it. */
interface Reached {
  readonly client: WireClient;
  readonly servedByOther: boolean;
  /** The reason why the process started for this check ended, if it did. */
  lost(): string | undefined;
  close(): Promise<void>;
}

/**
 * Connects to the server that owns the folder, or starts one in a child process for the time. Damage that crashes LMDB
 * then ends only the child.
 */
export async function reachDatabase(dataDir: string, encryption?: Encryption): Promise<Reached> {
  if (!existsSync(join(dataDir, 'data.mdb'))) throw new BackupError(`there is no database in ${dataDir}`);
  return (await throughOwner(dataDir)) ?? (await throughChild(dataDir, encryption));
}

async function throughOwner(dataDir: string): Promise<Reached | undefined> {
  const owner = await liveOwner(dataDir);
  if (!owner) return undefined;
  const client = await WireClient.connect(connectOptions(owner));
  if ('port' in owner) await logIn(client, dataDir);
  return { client, servedByOther: true, lost: () => undefined, close: async () => client.close() };
}

async function throughChild(dataDir: string, encryption: Encryption | undefined): Promise<Reached> {
  let reason: string | undefined;
  try {
    const running = await startChild({
      dataDir,
      ...(encryption ? { encryption } : {}),
      onExit: (why) => (reason = why),
    });
    const client = await WireClient.connect(connectOptions(running));
    if (running.port !== undefined && running.socketPath === '') await logIn(client, dataDir);
    const close = async () => {
      client.close();
      await running.stop();
    };
    return { client, servedByOther: false, lost: () => reason, close };
  } catch (error) {
    // Another process started a server meanwhile: connect to that one.
    const through = error instanceof DataDirectoryError && error.fault === 'in-use' && (await throughOwner(dataDir));
    if (through) return through;
    throw error;
  }
}

/** Logs in over TCP as the first user, with the password stored in the directory. */
async function logIn(client: WireClient, dataDir: string): Promise<void> {
  const password = readFileSync(join(dataDir, PASSWORD_FILE_NAME), 'utf8').trim();
  await client.logIn(FIRST_USER, password);
}

interface CheckedCollection {
  readonly namespace: string;
  readonly records: number;
  readonly indexes: number;
  /** Empty when every record and index entry agree. */
  readonly errors: readonly string[];
}

/**
 * Reads the whole database and compares every record with every index entry (`validate` on each collection).
 *
 * @param report called with the number of read collections and of all.
 */
export async function checkDatabase(
  dataDir: string,
  encryption?: Encryption,
  report?: (done: number, total: number) => void,
): Promise<CheckedCollection[]> {
  const reached = await reachDatabase(dataDir, encryption);
  try {
    const checked: CheckedCollection[] = [];
    const names = await collectionNames(reached.client);
    for (const [db, name] of names) {
      checked.push(await checkCollection(reached.client, db, name));
      report?.(checked.length, names.length);
    }
    return checked;
  } catch (error) {
    const reason = reached.lost();
    if (reason === undefined) throw error;
    throw new BackupError(`${dataDir} is damaged: the database ended while reading it (${reason}); restore a backup`);
  } finally {
    await reached.close();
  }
}

async function collectionNames(client: WireClient): Promise<[db: string, name: string][]> {
  const names: [string, string][] = [];
  const databases = documents((await client.command('admin', { listDatabases: 1, nameOnly: true })).get('databases'));
  for (const db of databases.map((database) => String(database.get('name')))) {
    // One batch holds every collection that a database of this kind may have.
    const reply = await client.command(db, { listCollections: 1, cursor: { batchSize: 1_000_000 } });
    const cursor = reply.get('cursor');
    for (const found of documents(cursor instanceof BsonDoc ? cursor.get('firstBatch') : undefined)) {
      if (found.get('type') === 'collection') names.push([db, String(found.get('name'))]);
    }
  }
  return names;
}

async function checkCollection(client: WireClient, db: string, name: string): Promise<CheckedCollection> {
  const reply = await client.command(db, { validate: name, full: true });
  const errors = reply.get('errors');
  const texts = Array.isArray(errors) ? errors.map(String) : [];
  return {
    namespace: `${db}.${name}`,
    records: asNumber(reply.get('nrecords')) ?? 0,
    indexes: asNumber(reply.get('nIndexes')) ?? 0,
    errors: isTrue(reply.get('valid')) || texts.length > 0 ? texts : ['it is not valid'],
  };
}

function documents(value: unknown): BsonDoc[] {
  return Array.isArray(value) ? value.filter((item): item is BsonDoc => item instanceof BsonDoc) : [];
}
