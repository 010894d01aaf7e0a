import { tsaClient } from '../../../shared/timestamp/tsa-client.js';
import type { BundlesArea } from '../parts.js';
import { TIMESTAMP_COLLECTION, timestampStore } from './model.js';
import { timestampQueue } from './obtain-timestamp.js';
import { TimestampResolver } from './resolver.js';

export { timestampStore } from './model.js';

/** Time-stamps of sealed bundles. */
export const timestampsArea: BundlesArea = {
  resolvers: [TimestampResolver],
  wire: async ({ deps, bundles }) => {
    const askAuthority = tsaClient(deps.config.timestamps);
    await deps.jobs.queue(timestampQueue({ ...deps, bundles, askAuthority }, TIMESTAMP_COLLECTION));
    return { resolvers: [new TimestampResolver({ bundles, timestamps: timestampStore(deps.database.db) })] };
  },
};
