import { configFromProcess } from '../shared/config/config.js';
import { ConfigError } from '../shared/config/schema.js';
import { createLogger } from '../shared/telemetry/logger.js';
import { rebuildEventSearch } from '../subgraphs/ledger/index.js';
import { Closing } from './closing.js';
import { StartRefused } from './data-directory.js';
import { openStores } from './stores.js';

// `npm run search:rebuild`: makes the search index anew from the ledger. On the embedded database the service is stopped
// meanwhile; on a server of one's own it may run.

const closing = new Closing();
const say = (line: string): void => void process.stdout.write(`${line}\n`);

try {
  const config = configFromProcess();
  const { base } = await openStores(config, {}, createLogger(config.logLevel), closing);
  let [chains, events] = [0, 0];
  await rebuildEventSearch(base, (chain) => {
    chains += 1;
    events += chain.events;
    say(`${chain.tenantId} ${chain.sourceSystem}: ${chain.events} events`);
  });
  say(`the search index is made anew: ${events} events in ${chains} chains`);
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof StartRefused;
  process.stderr.write(`${expected ? error.message : ((error as Error).stack ?? String(error))}\n`);
  process.exitCode = expected ? 2 : 1;
} finally {
  await closing.run();
}
