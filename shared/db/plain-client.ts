import { MongoClient } from 'mongodb';
import { CONNECTION_OPTIONS } from './connection-options.js';

/** The driver alone, for a thread that has no models; it connects with its first work, or when it is told to. */
export const plainClient = (uri: string, maxPoolSize: number): MongoClient =>
  new MongoClient(uri, { maxPoolSize, ...CONNECTION_OPTIONS });
