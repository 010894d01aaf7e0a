import { join } from 'node:path';
import { checkDatabase } from '../../embedded-mongo/index.js';
import { dataKeysFor } from '../keys/data-keys.js';
import { DATABASE_FOLDER, requireEmbedded, runDataCommand } from './data-command.js';

// `npm run check-data` reads the whole database and compares every record with every index entry.

void runDataCommand('npm run check-data', async (command) => {
  await requireEmbedded(command);
  const folder = join(command.root, DATABASE_FOLDER);
  const keys = await dataKeysFor(command.config, folder);
  const checked = await checkDatabase(folder, keys, command.progress('collections'));
  for (const { namespace, records, indexes, errors } of checked) {
    command.say(`${errors.length === 0 ? 'good' : 'BAD '} ${namespace}: ${records} records, ${indexes} indexes`, {
      namespace,
      records,
      indexes,
      errors,
    });
    for (const error of errors) command.say(`     ${error}`);
  }
  const bad = checked.filter(({ errors }) => errors.length > 0).length;
  command.say(`${checked.length} collections, ${bad} with faults${bad > 0 ? ': restore a backup' : ''}`, {
    collections: checked.length,
    bad,
  });
  return bad === 0;
});
