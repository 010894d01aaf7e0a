import type { Config } from '../shared/config/config.js';
import { createLogger } from '../shared/telemetry/logger.js';
import { Closing } from './closing.js';
import { buildLocalSubgraphs } from './local-subgraphs.js';
import { openStores } from './stores.js';

/**
 * Creates every collection and index, and serves nothing.
 *
 * @returns a description of the database
 * @throws StartRefused
 */
export async function prepareDatabase(config: Config): Promise<string> {
  const closing = new Closing();
  try {
    const stores = await openStores(config, { signsNothing: true }, createLogger(config.logLevel), closing);
    await buildLocalSubgraphs(stores, closing);
    return stores.databaseDescription;
  } finally {
    await closing.run();
  }
}
