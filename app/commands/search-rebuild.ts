import { rebuildEventSearch } from '../../subgraphs/ledger/index.js';
import { runCommand } from './run-command.js';

// `npm run search:rebuild` rebuilds the search index from the ledger. Stop the service first when it runs on the embedded
// database.

void runCommand(async (command) => {
  const { base } = await command.openStores();
  let [chains, events] = [0, 0];
  const progress = command.progress('events');
  await rebuildEventSearch(base, {
    indexed: progress,
    report: (chain) => {
      chains += 1;
      events += chain.events;
      command.say(`${chain.tenantId} ${chain.sourceSystem}: ${chain.events} events`, chain);
    },
  });
  command.say(`rebuilt the search index: ${events} events in ${chains} chains`, { events, chains });
  return true;
});
