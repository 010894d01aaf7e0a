import { OPERATOR_TENANT } from '../../../shared/ids/tenant.js';
import { appendSystemEntries } from '../append/index.js';
import type { LedgerArea } from '../parts.js';
import { CheckpointViews, checkpointRejecter, TileCache } from '../transparency/index.js';
import { logRoots } from './model.js';
import { recordLogRoots } from './record-log-roots.js';
import { LogRootsResolver } from './resolver.js';

const LOOK_INTERVAL_MS = 5 * 60_000;

/** One leaf a period in the operator's log, over the logs of all tenants. */
export const logRootsArea: LedgerArea = {
  resolvers: [LogRootsResolver],
  wire: ({ deps, store, trees, contexts, ingest, openExceptions }) => {
    const roots = logRoots(deps.database.db);
    deps.jobs.recurring({
      name: 'ledger.log_roots',
      description: "Records the root over all tenants' newest notes in the operator's log, once an hour.",
      everyMs: LOOK_INTERVAL_MS,
      run: (signal) =>
        recordLogRoots(
          {
            ...deps,
            store,
            trees,
            roots,
            append: async (entry) => appendSystemEntries(ingest, await contexts.of(OPERATOR_TENANT), [entry]),
          },
          signal,
        ),
    });
    const views = new CheckpointViews(deps.signingKeys, checkpointRejecter(openExceptions));
    return { resolvers: [new LogRootsResolver({ trees, contexts, roots, views, cache: new TileCache() })] };
  },
};
