import { startWorker } from '../../embedded-mongo/launch.js';
import { connectDatabase, type Database } from '../../shared/db/database.js';

/** A database server of a test file's own. */
export interface TestServer {
  readonly uri: string;
  /** A connection of its own to the named database, closed with the server. */
  connect(name: string): Promise<Database>;
  stop(): Promise<void>;
}

/** The embedded database in a worker thread, thrown away at the end; or the server that TEST_MONGODB_URI names. */
export async function startTestServer(): Promise<TestServer> {
  const given = process.env['TEST_MONGODB_URI'];
  const server = given === undefined ? await startWorker() : { uri: given, stop: async () => {} };
  const connections: Database[] = [];
  return {
    uri: server.uri,
    async connect(name) {
      const database = await connectDatabase(server.uri, name);
      connections.push(database);
      return database;
    },
    async stop() {
      for (const connection of connections) await connection.close();
      await server.stop();
    },
  };
}
