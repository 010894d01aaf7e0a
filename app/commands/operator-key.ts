import { parseArgs } from 'node:util';
import { StartRefused } from '../data-directory.js';
import { ORDER_OPTIONS } from './order-options.js';
import { runCommand } from './run-command.js';

// `npm run operator-key` makes another operator key when the printed one is lost (docs/api-keys.md "The first operator
// key"). On the embedded database stop the service first.

const USAGE = 'usage: npm run operator-key -- --reason TEXT [--by NAME]';

void runCommand(async (command) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: ORDER_OPTIONS,
  });
  const reason = values.reason.trim();
  if (positionals.length > 0 || reason === '') throw new StartRefused(USAGE);
  const { admin } = await command.buildSubgraphs();
  const apiKey = await admin.addOperatorKey({ reason, by: values.by });
  command.say(`Operator key (shown once, keep it): ${apiKey}`);
  return true;
});
