import { backUp } from '../../embedded-mongo/index.js';
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

await runDataCommand(USAGE, async (command) => {
  const target = onlyOperand(command, USAGE);
  await requireEmbedded(command);
  const folder = wormFolderElsewhere(command);
  const { manifest, sizeBytes, whileRunning } = await backUp({
    root: command.root,
    database: DATABASE_FOLDER,
    target,
    ...(folder === null ? {} : { external: { name: WORM_FOLDER, folder } }),
  });
  command.say(
    `backed up ${command.root} to ${target}: ${manifest.files.length} files, ${sizeText(sizeBytes)}` +
      (whileRunning ? ', taken through the running service' : ''),
  );
  const keys = [
    ...(command.config.masterKeyHex === null ? [] : ['SERVICE_MASTER_KEY']),
    `the signer's folder ${command.config.signer.dir}`,
  ];
  command.say(`${keys.join(' and ')}: not part of the backup; keep a copy apart, without it nothing of it can be used`);
  return true;
});
