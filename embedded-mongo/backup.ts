// The second door of this package, beside launch.ts: what is done with a data folder rather than with a connection.
export { type BackUpOptions, type BackupReport, backUp } from './backup/back-up.js';
export { BackupError } from './backup/backup-error.js';
export { type CheckedCollection, checkDatabase } from './backup/check-database.js';
export { isHalfRestored, type RestoreOptions, type RestoreReport, restoreBackup } from './backup/restore.js';
