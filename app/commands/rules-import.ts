import { importSharedRules } from '../../subgraphs/advocacy/index.js';
import { runCommand } from './run-command.js';

// `npm run rules:import` loads the shared rules of this version, as a start does. Stop the service first when it runs on the
// embedded database.

void runCommand(async (command) => {
  const { deps } = await command.buildSubgraphs();
  const { rules } = await importSharedRules(deps, command.progress('rules'));
  command.say(`the shared rules are at this version: ${rules} rules`, { rules });
  return true;
});
