import type { ServerOptions } from './server.js';
import type { DataDirectoryFault } from './store/data-directory-error.js';
import { DataDirectoryError } from './store/data-directory-error.js';

/** What a child or thread is told to do. */
export type StartMessage = Omit<ServerOptions, 'system'>;

/** Its answer: ready when there is no error. */
export interface ReadyMessage {
  readonly error?: { readonly fault?: DataDirectoryFault; readonly message: string };
}

export function failureMessage(error: unknown): ReadyMessage {
  const message = error instanceof Error ? error.message : String(error);
  return { error: error instanceof DataDirectoryError ? { fault: error.fault, message } : { message } };
}
