import { MongoClient } from 'mongodb';
import { startWorker } from '../../embedded-mongo/index.js';
import { connectDatabase, type Database } from '../../shared/db/database.js';

/** A database server of a test file's own. */
export interface TestServer {
  readonly uri: string;
  /** @returns the URI of the named database, for a separate process. */
  uriOf(name: string): string;
  /** Opens a separate connection to the named database, closed with the server. */
  connect(name: string): Promise<Database>;
  stop(): Promise<void>;
}

/** Starts the embedded database in a worker thread and deletes it at the end, or uses TEST_MONGODB_URI's server. */
export async function startTestServer(): Promise<TestServer> {
  const given = process.env['TEST_MONGODB_URI'];
  const server = given === undefined ? await ownServer() : otherServer(given);
  const connections: Database[] = [];
  return {
    uri: server.uriOf('eas'),
    uriOf: server.uriOf,
    async connect(name) {
      const database = await connectDatabase(server.uriOf(name), name);
      connections.push(database);
      return database;
    },
    async stop() {
      for (const connection of connections) await connection.close();
      await server.stop();
    },
  };
}

interface Place {
  uriOf(name: string): string;
  stop(): Promise<void>;
}

async function ownServer(): Promise<Place> {
  const { uri, stop } = await startWorker();
  return { uriOf: () => uri, stop };
}

let places = 0;

/** A shared server: databases get unique names, and are dropped at the end. */
function otherServer(given: string): Place {
  const prefix = `eas-test-${process.pid}-${Date.now().toString(36)}-${++places}`;
  const names = new Set<string>();
  const nameOf = (name: string) => `${prefix}-${name}`;
  return {
    uriOf: (name) => {
      names.add(name);
      return withDatabase(given, nameOf(name));
    },
    stop: async () => {
      const client = await MongoClient.connect(given);
      for (const name of names) await client.db(nameOf(name)).dropDatabase();
      await client.close();
    },
  };
}

/** A database in the URI would be where users are looked for, unless it says otherwise. */
function withDatabase(uri: string, name: string): string {
  const [, server = uri, options = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]*)\/?[^?]*\??(.*)$/.exec(uri) ?? [];
  const source = /(?:^|&)authSource=/.test(options) ? options : ['authSource=admin', options].filter(Boolean).join('&');
  return `${server}/${name}?${source}`;
}
