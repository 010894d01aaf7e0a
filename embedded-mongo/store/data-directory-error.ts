export type DataDirectoryFault = 'in-use' | 'foreign' | 'damaged' | 'format' | 'no-room';

/** Why a data directory was refused at start; nothing in it was changed. */
export class DataDirectoryError extends Error {
  constructor(
    readonly fault: DataDirectoryFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'DataDirectoryError';
  }
}
