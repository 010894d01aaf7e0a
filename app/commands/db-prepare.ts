import { connectDatabase } from '../../shared/db/database.js';
import { StartRefused } from '../../shared/errors/start-refused.js';
import { wormDatabase } from '../../shared/worm/kept-worm-store.js';
import { prepareDatabase } from '../prepare-database.js';
import { type ShardingServer, shardDatabase } from '../sharding/shard-database.js';
import { runCommand } from './run-command.js';

// `npm run db:prepare` creates collections and indexes before the first start, by a credential that may create them. With
// `-- --sharded` it also prints the commands that shard the large collections, and runs them on a mongos.

const USAGE = 'npm run db:prepare [-- --sharded]';

/** Commands on the server of a URI, under the names of the service's databases. */
async function serverOf(uri: string): Promise<ShardingServer & { close(): Promise<void> }> {
  const database = await connectDatabase(uri);
  const { db } = database;
  return {
    service: db.databaseName,
    worm: wormDatabase(database).databaseName,
    run: (name, command) => db.client.db(name).command({ ...command }),
    tenantIds: async () => {
      const rows = await db
        .collection<{ _id: string }>('tenants')
        .find({}, { projection: { _id: 1 } })
        .toArray();
      return rows.map(({ _id }) => _id);
    },
    close: () => database.close(),
  };
}

void runCommand(async (command) => {
  const flags = process.argv.slice(2);
  if (flags.some((flag) => flag !== '--sharded')) throw new StartRefused(`usage: ${USAGE}`);
  const { mongodbUri } = command.config;
  if (flags.length > 0 && mongodbUri === null) {
    throw new StartRefused('--sharded needs MONGODB_URI: the embedded database has no shards');
  }
  command.say(`collections and indexes are ready: ${await prepareDatabase(command.config)}`);
  if (flags.length === 0 || mongodbUri === null) return true;
  const server = await serverOf(mongodbUri);
  try {
    command.say(`${await shardDatabase(server, command.say)} sharding commands ran`);
  } finally {
    await server.close();
  }
  return true;
});
