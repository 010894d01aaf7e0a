import { join } from 'node:path';
import { restoreBackup } from '../../embedded-mongo/index.js';
import { StartRefused } from '../data-directory.js';
import { onlyOperand, runDataCommand, sizeText, WORM_FOLDER, wormFolderElsewhere } from './data-command.js';

// `npm run restore -- DIR [--force]` copies a backup into the data folder, which must be empty and not in use.

const USAGE = 'npm run restore -- DIR [--force]';

void runDataCommand(USAGE, async (command) => {
  const backup = onlyOperand(command, USAGE);
  if (command.config.mongodbUri !== null) {
    throw new StartRefused('MONGODB_URI is set: the service would not read the restored data; unset it first');
  }
  const { manifest, movedTo } = await restoreBackup({
    backup,
    root: command.root,
    force: command.force,
    report: command.progress('bytes'),
  });
  const sizeBytes = manifest.files.reduce((sum, file) => sum + file.sizeBytes, 0);
  command.say(
    `restored ${manifest.files.length} files (${sizeText(sizeBytes)}), taken at ${manifest.takenAt}, into ${command.root}`,
    { files: manifest.files.length, size_bytes: sizeBytes, taken_at: manifest.takenAt, root: command.root },
  );
  if (movedTo !== undefined) command.say(`the former content is in ${movedTo}`);
  const elsewhere = wormFolderElsewhere(command);
  if (elsewhere !== null && manifest.files.some(({ path }) => path.startsWith(`${WORM_FOLDER}/`))) {
    command.say(
      `the write-once files are in ${join(command.root, WORM_FOLDER)}: move that folder to ${elsewhere}, or start without ` +
        'SERVICE_WORM_DIR',
    );
  }
  command.say(
    'run "npm run check-data", which compares every record with every index; then start the service and verify the ledger',
  );
  return true;
});
