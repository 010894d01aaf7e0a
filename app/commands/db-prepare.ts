import { prepareDatabase } from '../prepare-database.js';
import { runCommand } from './run-command.js';

// `npm run db:prepare` creates collections and indexes before the first start, by a credential that may create them.

await runCommand(async (command) => {
  command.say(`collections and indexes are ready: ${await prepareDatabase(command.config)}`);
  return true;
});
