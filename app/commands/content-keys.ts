import { systemClock } from '../../shared/clock/clock.js';
import { StartRefused } from '../../shared/errors/start-refused.js';
import { systemRandomness, ulidIds } from '../../shared/ids/ids.js';
import { createLogger } from '../../shared/telemetry/logger.js';
import { wormDatabase } from '../../shared/worm/kept-worm-store.js';
import type { EncryptedStore } from '../../shared/worm/keys/encrypt-store.js';
import { EpochKeys } from '../../shared/worm/keys/epoch-keys.js';
import { encryptWormStore } from '../../shared/worm/keys/open-encryption.js';
import { checkEpochs } from '../../shared/worm/keys/require-epochs.js';
import { countOthers, rewrapKeys } from '../../shared/worm/keys/rewrap.js';
import { contentKeyFile } from '../keys/content-keys.js';
import { addKey, dropOldKeys, readKeys, type VersionedKeys } from '../keys/key-file.js';
import { runCommand } from './run-command.js';

// `npm run content-keys -- status|encrypt|rotate|end-epoch` keeps the keys of write-once contents and records. Stop the service
// first: a running process keeps the keys that it read at its start. A command that broke off is run again.

const USAGE = 'usage: npm run content-keys -- status | encrypt | rotate | end-epoch [--all-stopped]';
const VERBS = ['status', 'encrypt', 'rotate', 'end-epoch'];

/** @returns false if something damaged stays in clear */
function tellEncrypted(
  { contents, segments, left }: EncryptedStore,
  say: (line: string, result?: object) => void,
): boolean {
  say(`encrypted ${contents} contents and ${segments} segments`, { contents, segments, left });
  if (left.length > 0) say(`left in clear because they are damaged: ${left.join(', ')}; run GET /v1/ledger/verify`);
  return left.length === 0;
}

void runCommand(async ({ config, openConnections, progress, say }) => {
  const [verb = '', ...flags] = process.argv.slice(2);
  if (!VERBS.includes(verb) || flags.some((flag) => flag !== '--all-stopped')) throw new StartRefused(USAGE);
  const { engine, ...connections } = await openConnections();
  if (verb !== 'status' && engine === 'external' && flags.length === 0)
    throw new StartRefused('stop every process of the service that uses this database, then add --all-stopped');
  if (engine === 'external' && !config.isContentKeysFileGiven)
    throw new StartRefused('with MONGODB_URI, SERVICE_CONTENT_KEYS_FILE names the file that all processes share');
  const file = contentKeyFile(config);
  const [keysDone, contentsDone] = [progress('keys'), progress('contents')];
  const worm = wormDatabase(connections.database);
  const taken = wormDatabase(connections.retention ?? connections.database);
  const present = await readKeys(file.path);
  const begin = await checkEpochs(worm, present);

  /** Wraps every key under the current epoch, and begins that epoch. */
  const wrapAll = async (keys: VersionedKeys, isBegun: boolean): Promise<void> => {
    const wrapped = await rewrapKeys(taken, new EpochKeys(keys, systemRandomness()), (done) => keysDone(done, null));
    if (!isBegun) await (await checkEpochs(worm, keys))?.(systemClock);
    say(`${wrapped} keys are now wrapped under epoch ${keys.current}; its key is in ${file.path}`, { wrapped });
  };
  /** The keys with a new epoch. An epoch that never began is one of a command that broke off. */
  const renewed = async (): Promise<VersionedKeys> => {
    if (present === null) throw new StartRefused(`${file.path} is missing: run "encrypt" first`);
    return begin === null ? addKey(file, present) : present;
  };

  const describe = async (): Promise<true> => {
    const others = present === null ? 0 : await countOthers(worm, present.current);
    if (present === null) say(`write-once contents are stored in clear; ${file.path} does not exist`);
    else say(`epoch ${present.current} wraps new keys; ${others} keys are under other epochs`, { others });
    if (present !== null) say(`epochs in ${file.path}: ${Object.keys(present.keys).join(', ')}`);
    return true;
  };

  switch (verb) {
    case 'status':
      return describe();
    case 'encrypt': {
      const keys = present ?? (await addKey(file));
      await wrapAll(keys, present !== null && begin === null);
      if (config.wormBucket !== null) return true;
      const clock = systemClock;
      const ids = ulidIds(() => clock.nowMs(), systemRandomness());
      const deps = { ...connections, clock, ids, logger: createLogger(config.logLevel), limits: config.worm };
      const report = (n: number): void => contentsDone(n, null);
      return tellEncrypted(await encryptWormStore({ ...deps, epochKeys: keys }, config.wormFolder, report), say);
    }
    case 'rotate':
      await wrapAll(await renewed(), false);
      return true;
    default: {
      const keys = await renewed();
      await wrapAll(keys, false);
      if ((await countOthers(worm, keys.current)) > 0)
        throw new StartRefused('keys were added during the run: run it again');
      await dropOldKeys(file, keys);
      say('the keys of earlier epochs are destroyed: what was disposed of before cannot be read any more', {});
      return true;
    }
  }
});
