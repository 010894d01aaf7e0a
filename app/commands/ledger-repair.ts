import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { isTenantId } from '../../shared/ids/tenant.js';
import { repairTenant } from '../../subgraphs/ledger/index.js';
import { StartRefused } from '../data-directory.js';
import { runCommand } from './run-command.js';

// `npm run ledger:repair -- [--tenant T] --reason "…" [--actor NAME] [--apply]` restores damaged rows and write-once copies of
// the ledger as far as signed checkpoints prove them. Without --apply it only lists them. The exit code is 0 only if
// nothing damaged is left. Stop the service first when it runs on the embedded database.

const MAX_REASON_LENGTH = 500;

function parsed() {
  const text = { type: 'string' } as const;
  const options = { tenant: text, reason: text, actor: text, apply: { type: 'boolean' } } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw new StartRefused(error instanceof Error ? error.message : String(error));
  }
}

function orderOf({ tenant, reason = '', actor = userInfo().username, apply = false }: ReturnType<typeof parsed>) {
  if (reason.trim() === '' || reason.length > MAX_REASON_LENGTH) {
    throw new StartRefused(
      `Give a reason of 1 to ${MAX_REASON_LENGTH} characters: --reason "why the record is restored"`,
    );
  }
  if (tenant !== undefined && !isTenantId(tenant)) throw new StartRefused('--tenant must be a tenant id.');
  const operator = { type: 'ACTOR', id: `operator:${actor}` } as const;
  return { tenant, order: { reason: reason.trim(), actor: operator, isApplied: apply } };
}

void runCommand(async (command) => {
  const { tenant, order } = orderOf(parsed());
  const { deps } = await command.buildSubgraphs();
  const known = await deps.ledgerDisposal.tenantIds();
  let isWhole = true;
  for (const tenantId of tenant === undefined ? known : [tenant]) {
    const { lines, verdict } = await repairTenant(deps, { tenantId, ...order });
    for (const line of lines) command.say(JSON.stringify({ tenant_id: tenantId, ...line }));
    const { valid, breaks } = verdict;
    command.say(JSON.stringify({ tenant_id: tenantId, valid, damaged: breaks.length }));
    isWhole &&= valid && lines.every(({ outcome }) => outcome === 'RESTORED');
  }
  return isWhole;
});
