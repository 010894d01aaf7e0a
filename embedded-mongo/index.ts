/** The only door of this package: starting a database, and backing up, restoring and checking its folder. */
export { backUp, isHalfRestored, restoreBackup } from './backup/back-up.js';
export { checkDatabase } from './backup/check-database.js';
export { BackupError } from './backup/manifest.js';
export { DataDirectoryError, type Running, startChild, startWorker } from './launch/launch.js';
export type { Encryption } from './store/data-cipher.js';
export { isEncrypted, pageKeyVersion } from './store/page-key.js';
export { reEncrypt } from './store/re-encrypt.js';
