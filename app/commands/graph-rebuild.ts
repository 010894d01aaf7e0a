import { isTenantId } from '../../shared/ids/tenant.js';
import { rebuildGraphOf } from '../../subgraphs/members-graph/index.js';
import { runCommand } from './run-command.js';

// `npm run graph:rebuild [-- tenant …]` rebuilds the graph of the named tenants, or of all, from the ledger and the records.
// Readers switch to the new graph when it is complete. Each line says whether the old graph had the same content. Stop the
// service first when it runs on the embedded database.

void runCommand(async (command) => {
  const named = process.argv.slice(2).filter(isTenantId);
  const { deps } = await command.buildSubgraphs();
  for (const tenantId of named.length > 0 ? named : await deps.ledgerDisposal.tenantIds()) {
    command.say(JSON.stringify(await rebuildGraphOf(deps, tenantId)));
  }
  return true;
});
