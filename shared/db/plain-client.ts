import { MongoClient } from 'mongodb';
import { failClosedWrites } from './closed-writes.js';
import { CONNECTION_OPTIONS, requireFullStrength } from './connection-options.js';

/** A client of the driver for a thread without models; it connects with its first operation or by `connect`. */
export function plainClient(uri: string, maxPoolSize: number): MongoClient {
  requireFullStrength(uri);
  failClosedWrites();
  return new MongoClient(uri, { maxPoolSize, ...CONNECTION_OPTIONS });
}
