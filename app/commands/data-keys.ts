import { join, resolve } from 'node:path';
import { type Encryption, isEncrypted, pageKeyVersion, reEncrypt } from '../../embedded-mongo/index.js';
import { DATABASE_FOLDER } from '../data/data-command.js';
import { StartRefused } from '../data-directory.js';
import { dataKeyFile, dataKeysFor } from '../keys/data-keys.js';
import { addKey, dropOldKeys, readKeys } from '../keys/key-file.js';
import { runCommand } from './run-command.js';

// `npm run data-keys -- status|encrypt|rotate|forget` keeps the keys of the embedded database. Stop the service before
// `encrypt` and `rotate`: they write the database into new files. A command that was cut off is run again.

const USAGE = 'usage: npm run data-keys -- status | encrypt | rotate | forget';

void runCommand(async ({ config, say, progress }) => {
  const [verb, ...more] = process.argv.slice(2);
  if (more.length > 0) throw new StartRefused(USAGE);
  const folder = join(resolve(config.dataDir), DATABASE_FOLDER);
  const file = dataKeyFile(config);
  const { path } = file;
  const isSealed = isEncrypted(folder);
  const present = await dataKeysFor({ ...config, isEncryptedAtRest: false }, folder);
  const write = async (to: Encryption, from?: Encryption): Promise<boolean> => {
    const isContinued = await reEncrypt(folder, {
      to,
      report: progress('entries'),
      ...(from === undefined ? {} : { from }),
    });
    say(
      `${folder} is encrypted with data key ${to.current}${isContinued ? ' (an earlier attempt was continued)' : ''}`,
    );
    say(`its keys are in ${path}: keep a copy of that file apart from the data`);
    return true;
  };
  switch (verb) {
    case 'status':
      say(
        isSealed
          ? `${folder} is encrypted; data key ${present?.current} seals new values`
          : `${folder} is not encrypted`,
      );
      if (present !== undefined) say(`keys in ${path}: ${Object.keys(present.keys).join(', ')}`);
      return true;
    case 'encrypt':
      if (isSealed) throw new StartRefused(`${folder} is encrypted already; "rotate" gives it a new key`);
      return write((await readKeys(path)) ?? (await addKey(file)));
    case 'rotate':
      if (present === undefined) throw new StartRefused(`${folder} is not encrypted; "encrypt" encrypts it`);
      // A key that no file uses yet is that of an attempt that was cut off.
      return write(present.current > pageKeyVersion(folder) ? present : await addKey(file, present), present);
    case 'forget':
      if (present === undefined) throw new StartRefused(`${folder} is not encrypted; it has no keys`);
      if (present.current !== pageKeyVersion(folder))
        throw new StartRefused('a rotation was cut off: run "rotate" first');
      await dropOldKeys(file, present);
      say(`only data key ${present.current} is left: backups from before it was made cannot be opened any more`);
      return true;
    default:
      throw new StartRefused(USAGE);
  }
});
