import { MongoClient } from 'mongodb';
import { CONNECTION_OPTIONS } from './connection-options.js';

/** Blocks of one archive are written at once, and those of the next content read. */
const POOL_SIZE = 32;

/** The driver alone, for a thread that has no models. */
export const connectPlainly = (uri: string): Promise<MongoClient> =>
  MongoClient.connect(uri, { maxPoolSize: POOL_SIZE, ...CONNECTION_OPTIONS });
