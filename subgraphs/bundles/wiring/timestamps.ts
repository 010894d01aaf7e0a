import { tsaClient } from '../adapters/tsa-client.js';
import { TIMESTAMP_COLLECTION, timestampStore } from '../model/timestamp-model.js';
import { TimestampResolver } from '../resolvers/timestamp-resolver.js';
import { timestampQueue } from '../service/obtain-timestamp.js';
import type { WireArea } from './parts.js';

/** Time-stamps of sealed bundles, where the deployment names an authority. */
export const wireTimestamps: WireArea = async ({ deps, bundles }) => {
  const askAuthority = tsaClient(deps.config.timestamps);
  await deps.jobs.queue(timestampQueue({ ...deps, bundles, askAuthority }, TIMESTAMP_COLLECTION));
  const timestamps = timestampStore(deps.database.db);
  return { resolvers: [[TimestampResolver, new TimestampResolver({ bundles, timestamps })]] };
};
