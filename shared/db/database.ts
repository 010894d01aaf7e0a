import type { Db } from 'mongodb';
import mongoose from 'mongoose';

/** One connection to whichever server was resolved; nothing above knows which one it is (design.md "The database"). */
export interface Database {
  readonly connection: mongoose.Connection;
  /** The driver's own handle on the same pool, for hot paths and GridFS. */
  readonly db: Db;
  close(): Promise<void>;
}

/** Waits this long for a server before an operation fails; the facade turns that into 503. */
const SERVER_SELECTION_TIMEOUT_MS = 5_000;
const POOL_SIZE = 64;

/** Acknowledged means on disk, on a majority: the only write concern of this service (evidence.md section 3). */
export const DURABLE = { w: 'majority', j: true } as const;

/** @param name database name; the URI's own wins when it has one. */
export async function connectDatabase(uri: string, name = 'eas'): Promise<Database> {
  const connection = await mongoose
    .createConnection(uri, {
      // Read by pattern: the host of a unix socket is a path, which no URL parser takes.
      dbName: /^mongodb(\+srv)?:\/\/[^/]*\/[^?]/.test(uri) ? undefined : name,
      autoIndex: false,
      autoCreate: false,
      maxPoolSize: POOL_SIZE,
      serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
      writeConcern: DURABLE,
      readConcern: { level: 'majority' },
      retryWrites: false,
      ignoreUndefined: true,
    } as mongoose.ConnectOptions)
    .asPromise();
  if (!connection.db) throw new Error('the database connection has no database');
  return { connection, db: connection.db as unknown as Db, close: () => connection.close() };
}
