import { parseArgs } from 'node:util';
import { isTenantId } from '../../shared/ids/tenant.js';
import { StartRefused } from '../data-directory.js';
import { AdoptionRun } from './adoption-run.js';
import { ORDER_OPTIONS } from './order-options.js';
import { runCommand } from './run-command.js';

// `npm run facts:adopt` lists the rows of earlier versions that have no facts, and with --apply appends their first facts
// (docs/operating.md "Rows of earlier versions"). Stop the service first.

const USAGE =
  'usage: npm run facts:adopt -- [--apply --reason TEXT [--by NAME]] [--kind KIND]… [--including-newer] [TENANT]…';

void runCommand(async (command) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...ORDER_OPTIONS,
      apply: { type: 'boolean', default: false },
      kind: { type: 'string', multiple: true, default: [] },
      'including-newer': { type: 'boolean', default: false },
    },
  });
  const { apply, reason, by, kind: kinds } = values;
  if (!positionals.every(isTenantId)) throw new StartRefused(USAGE);
  if (apply && reason.trim() === '') throw new StartRefused(`--apply needs a reason\n${USAGE}`);
  const { all, deps } = await command.buildSubgraphs();
  const run = new AdoptionRun(deps, all, { say: command.say, progress: command.progress('rows') });
  const unknown = kinds.filter((kind) => !run.kinds.includes(kind));
  if (unknown.length > 0) throw new StartRefused(`unknown kind ${unknown.join(', ')}; one of ${run.kinds.join(', ')}`);
  const tenants = positionals.length > 0 ? positionals.filter(isTenantId) : await deps.ledgerDisposal.tenantIds();
  const order = apply ? { reason: reason.trim(), by } : null;
  let isClean = true;
  for (const tenantId of tenants) {
    const options = { kinds, includingNewer: values['including-newer'], order };
    isClean = (await run.tenant(tenantId, options)) && isClean;
  }
  if (!apply) command.say('nothing was written; --apply --reason TEXT adopts these rows');
  return isClean;
});
