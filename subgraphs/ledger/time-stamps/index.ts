import { stampQueue } from '../../../shared/timestamp/obtain-stamp.js';
import { tsaClient } from '../../../shared/timestamp/tsa-client.js';
import type { LedgerArea } from '../parts.js';
import { askForStamps } from './ask-for-stamps.js';
import { CHECKPOINT_STAMPS, checkpointStamps } from './model.js';
import type { CheckpointStampRow } from './ports.js';
import { CheckpointTimestampResolver } from './resolver.js';

export { CHECKPOINT_STAMPS, checkpointStamps } from './model.js';
export { type StampAnchor, stampAnchor } from './stamp-anchor.js';

/** Checkpoints are stamped a day after the last one; a look an hour finds that in time. */
const LOOK_INTERVAL_MS = 3_600_000;

/** Daily time-stamps of checkpoints, by an authority outside. */
export const timeStampsArea: LedgerArea = {
  resolvers: [CheckpointTimestampResolver],
  wire: async ({ deps, store, trees }) => {
    const stamps = checkpointStamps(deps.database.db);
    const askAuthority = tsaClient(deps.config.timestamps);
    const queue = stampQueue<CheckpointStampRow>(
      { ...deps, askAuthority },
      {
        name: 'ledger.timestamp',
        description: 'Obtains time-stamps for the notes of checkpoints.',
        collection: CHECKPOINT_STAMPS.name,
        contentOf: async ({ _id, tenant_id }) => {
          const checkpoint = await trees(tenant_id).checkpoint(_id);
          if (checkpoint === null) throw new Error('a time-stamp was requested for a checkpoint that is not stored');
          return Buffer.from(checkpoint.note);
        },
      },
    );
    await deps.jobs.queue(queue);
    if (askAuthority !== null) {
      deps.jobs.recurring({
        name: 'ledger.timestamps',
        description: 'Asks for a time-stamp of the latest checkpoint of each tenant, once a day.',
        everyMs: LOOK_INTERVAL_MS,
        run: (signal) => askForStamps({ ...deps, store, trees, stamps }, signal),
      });
    }
    return { resolvers: [new CheckpointTimestampResolver(stamps, trees)] };
  },
};
