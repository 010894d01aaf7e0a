import { BsonDoc } from '../bson/value.js';
import { asNumber, isTrue } from '../catalog/bson-arguments.js';
import type { WireClient } from '../wire/client.js';
import { BackupError } from './backup-error.js';
import { reachDatabase } from './reach-database.js';

export interface CheckedCollection {
  readonly namespace: string;
  readonly records: number;
  readonly indexes: number;
  /** Empty when every record and index entry agree. */
  readonly errors: readonly string[];
}

/**
 * Reads the whole database and holds every record against every index entry (`validate` on each collection), through
 * the server that runs on the folder, or one started for it.
 */
export async function checkDatabase(dataDir: string): Promise<CheckedCollection[]> {
  const reached = await reachDatabase(dataDir);
  try {
    const checked: CheckedCollection[] = [];
    for (const [db, name] of await collectionNames(reached.client)) {
      checked.push(await checkCollection(reached.client, db, name));
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
