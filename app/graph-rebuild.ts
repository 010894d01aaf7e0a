import { configFromProcess } from '../shared/config/config.js';
import { ConfigError } from '../shared/config/schema.js';
import { isTenantId } from '../shared/ids/tenant.js';
import { createLogger } from '../shared/telemetry/logger.js';
import { rebuildGraphOf } from '../subgraphs/members-graph/index.js';
import { Closing } from './closing.js';
import { StartRefused } from './data-directory.js';
import { buildLocalSubgraphs } from './local-subgraphs.js';
import { openStores } from './stores.js';

// `npm run graph:rebuild [-- tenant …]`: makes the graph anew from the ledger and from what its records are now, and switches
// readers to it when it is whole; of all tenants unless some are named. Each line says whether what was live said the same. On
// the embedded database the service is stopped meanwhile; on a server of one's own it may run.

const closing = new Closing();

try {
  const named = process.argv.slice(2).filter(isTenantId);
  const config = configFromProcess();
  const stores = await openStores(config, {}, createLogger(config.logLevel), closing);
  const { deps } = await buildLocalSubgraphs(stores, closing);
  for (const tenantId of named.length > 0 ? named : await deps.ledgerDisposal.tenantIds()) {
    process.stdout.write(`${JSON.stringify(await rebuildGraphOf(deps, tenantId))}\n`);
  }
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof StartRefused;
  process.stderr.write(`${expected ? error.message : ((error as Error).stack ?? String(error))}\n`);
  process.exitCode = expected ? 2 : 1;
} finally {
  await closing.run();
}
