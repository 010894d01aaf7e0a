import type { Db } from 'mongodb';
import mongoose from 'mongoose';
import { systemClock } from '../clock/clock.js';
import { spanMaker } from '../telemetry/spans.js';
import { failClosedWrites } from './closed-writes.js';
import { traceCommands } from './command-spans.js';
import { CONNECTION_OPTIONS, requireFullStrength } from './connection-options.js';

export { DURABLE } from './connection-options.js';

/** One connection to whichever server was resolved; nothing above knows which one it is (design.md "The database"). */
export interface Database {
  readonly connection: mongoose.Connection;
  /** The driver's own handle on the same pool, for hot paths and GridFS. */
  readonly db: Db;
  /** Connection string for a thread that opens its own connection. Contains a secret: never logged. */
  readonly uri: string;
  close(): Promise<void>;
}

const POOL_SIZE = 64;

/**
 * @param name database name; the URI's own wins when it has one.
 * @throws StartRefused for a connection string that weakens reads or writes.
 */
export async function connectDatabase(uri: string, name = 'eas'): Promise<Database> {
  requireFullStrength(uri);
  failClosedWrites();
  const connection = await mongoose
    .createConnection(uri, {
      // Read by pattern: the host of a unix socket is a path, which no URL parser takes.
      ...(/^mongodb(\+srv)?:\/\/[^/]*\/[^?]/.test(uri) ? {} : { dbName: name }),
      autoIndex: false,
      autoCreate: false,
      maxPoolSize: POOL_SIZE,
      ...CONNECTION_OPTIONS,
      monitorCommands: spanMaker() !== null,
    })
    .asPromise();
  if (spanMaker() !== null) traceCommands(connection.getClient(), systemClock.nowMs);
  if (!connection.db) throw new Error('the database connection has no database');
  // mongoose types the handle of its own copy of the driver's types.
  return { connection, db: connection.db as unknown as Db, uri, close: () => connection.close() };
}
