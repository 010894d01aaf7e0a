import { forgetEventLinks } from '../../subgraphs/ledger/index.js';
import { runCommand } from './run-command.js';

// `npm run links:rebuild` deletes the links between events; the service builds them again from the ledger. Stop the service
// first when it runs on the embedded database.

void runCommand(async (command) => {
  const { base } = await command.openStores();
  const chains = await forgetEventLinks(base);
  command.say(`deleted the links of ${chains} chains; the service builds them again`);
  return true;
});
