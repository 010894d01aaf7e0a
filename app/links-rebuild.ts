import { configFromProcess } from '../shared/config/config.js';
import { ConfigError } from '../shared/config/schema.js';
import { createLogger } from '../shared/telemetry/logger.js';
import { forgetEventLinks } from '../subgraphs/ledger/index.js';
import { Closing } from './closing.js';
import { StartRefused } from './data-directory.js';
import { openStores } from './stores.js';

// `npm run links:rebuild`: has the links between events made anew from the ledger, by the service that runs or starts next.
// On the embedded database the service is stopped meanwhile; on a server of one's own it may run.

const closing = new Closing();

try {
  const config = configFromProcess();
  const { base } = await openStores(config, {}, createLogger(config.logLevel), closing);
  const chains = await forgetEventLinks(base);
  process.stdout.write(`the links of ${chains} chains are forgotten; the service makes them anew\n`);
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof StartRefused;
  process.stderr.write(`${expected ? error.message : ((error as Error).stack ?? String(error))}\n`);
  process.exitCode = expected ? 2 : 1;
} finally {
  await closing.run();
}
