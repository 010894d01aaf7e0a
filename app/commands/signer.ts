import { parseArgs } from 'node:util';
import { isoTime, systemClock } from '../../shared/clock/clock.js';
import { acceptIncarnation, originParts } from '../../signer/index.js';
import { StartRefused } from '../data-directory.js';
import { moveKeys } from './move-keys.js';
import { ORDER_OPTIONS } from './order-options.js';
import { runCommand } from './run-command.js';

// `npm run signer`: the local commands of who may enter the signer's folder (docs/signer.md).

const USAGE = `usage: npm run signer -- move
       npm run signer -- accept ORIGIN --reason TEXT [--by NAME]`;

void runCommand(async (command) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: ORDER_OPTIONS,
  });
  const [verb, origin = '', ...more] = positionals;
  if (more.length > 0) throw new StartRefused(USAGE);
  if (verb === 'move') return moveKeys(command);
  const parts = originParts(origin);
  const reason = values.reason.trim();
  if (verb !== 'accept' || parts === null || reason === '') throw new StartRefused(USAGE);
  const at = isoTime(systemClock.nowMs());
  await acceptIncarnation(command.config.signer.dir, { ...parts, reason: `${reason} (${values.by})`, at });
  command.say(`the signer signs incarnation ${parts.incarnation} of ${parts.log} from now on, and no earlier one`);
  return true;
});
