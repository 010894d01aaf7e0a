import { configFromProcess } from '../shared/config/config.js';
import { ConfigError } from '../shared/config/schema.js';
import { createLogger } from '../shared/telemetry/logger.js';
import { importSharedRules } from '../subgraphs/advocacy/index.js';
import { Closing } from './closing.js';
import { StartRefused } from './data-directory.js';
import { buildLocalSubgraphs } from './local-subgraphs.js';
import { openStores } from './stores.js';

// `npm run rules:import`: brings the shared corpus of rules to that of this version, as a start does by itself. On the embedded
// database the service is stopped meanwhile; on a server of one's own it may run.

const closing = new Closing();

try {
  const config = configFromProcess();
  const stores = await openStores(config, {}, createLogger(config.logLevel), closing);
  const { deps } = await buildLocalSubgraphs(stores, closing);
  const { rules } = await importSharedRules(deps);
  process.stdout.write(`the shared corpus is at this version: ${rules} rules\n`);
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof StartRefused;
  process.stderr.write(`${expected ? error.message : ((error as Error).stack ?? String(error))}\n`);
  process.exitCode = expected ? 2 : 1;
} finally {
  await closing.run();
}
