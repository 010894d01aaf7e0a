import { join } from 'node:path';
import { backUp } from '../../embedded-mongo/index.js';
import { dataKeysFor } from '../keys/data-keys.js';
import {
  DATABASE_FOLDER,
  onlyOperand,
  requireEmbedded,
  runDataCommand,
  sizeText,
  WORM_FOLDER,
  wormFolderElsewhere,
} from './data-command.js';

// `npm run backup -- DIR` copies the data folder as of one commit, with the write-once files that the database names. The
// service may run.

const USAGE = 'npm run backup -- DIR';

void runDataCommand(USAGE, async (command) => {
  const target = onlyOperand(command, USAGE);
  await requireEmbedded(command);
  const folder = wormFolderElsewhere(command);
  const encryption = await dataKeysFor(command.config, join(command.root, DATABASE_FOLDER));
  const { manifest, sizeBytes, whileRunning } = await backUp({
    root: command.root,
    database: DATABASE_FOLDER,
    target,
    report: command.progress('bytes'),
    ...(encryption === undefined ? {} : { encryption }),
    ...(folder === null ? {} : { external: { name: WORM_FOLDER, folder } }),
  });
  command.say(
    `backed up ${command.root} to ${target}: ${manifest.files.length} files, ${sizeText(sizeBytes)}` +
      (whileRunning ? ', taken through the running service' : ''),
    { target, files: manifest.files.length, size_bytes: sizeBytes, taken_at: manifest.takenAt },
  );
  const bucket = command.config.wormBucket;
  if (bucket !== null) command.say(`the bucket ${bucket.bucket}: not part of the backup; its lock keeps it`);
  const keys = [
    ...(command.config.masterKeyHex === null ? [] : ['SERVICE_MASTER_KEY']),
    `the signer's folder ${command.config.signer.dir}`,
  ];
  command.say(`${keys.join(' and ')}: not part of the backup; keep a copy apart, without it nothing of it can be used`);
  return true;
});
