/** Why a backup was not taken, or not restored; nothing of the data was changed. The text says what to do. */
export class BackupError extends Error {
  override name = 'BackupError';
}
