import type { Db } from 'mongodb';
import mongoose from 'mongoose';
import { CONNECTION_OPTIONS } from './connection-options.js';

export { DURABLE } from './connection-options.js';

/** One connection to whichever server was resolved; nothing above knows which one it is (design.md "The database"). */
export interface Database {
  readonly connection: mongoose.Connection;
  /** The driver's own handle on the same pool, for hot paths and GridFS. */
  readonly db: Db;
  /** Where it is reached and as whom, for a thread that opens a connection of its own. Holds a secret: never told. */
  readonly uri: string;
  close(): Promise<void>;
}

const POOL_SIZE = 64;

/** @param name database name; the URI's own wins when it has one. */
export async function connectDatabase(uri: string, name = 'eas'): Promise<Database> {
  const connection = await mongoose
    .createConnection(uri, {
      // Read by pattern: the host of a unix socket is a path, which no URL parser takes.
      dbName: /^mongodb(\+srv)?:\/\/[^/]*\/[^?]/.test(uri) ? undefined : name,
      autoIndex: false,
      autoCreate: false,
      maxPoolSize: POOL_SIZE,
      ...CONNECTION_OPTIONS,
    } as mongoose.ConnectOptions)
    .asPromise();
  if (!connection.db) throw new Error('the database connection has no database');
  return { connection, db: connection.db as unknown as Db, uri, close: () => connection.close() };
}
