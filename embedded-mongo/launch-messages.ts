import type { RunningServer, ServerOptions } from './server.js';
import type { DataDirectoryFault } from './store/data-directory-error.js';
import { DataDirectoryError } from './store/data-directory-error.js';

/** What a child or thread is told to do. */
export type StartMessage = Omit<ServerOptions, 'system'>;

/** Its answer: ready when there is no error; the port is that of its TCP listener, if it has one. */
export interface ReadyMessage {
  readonly port?: number;
  readonly error?: { readonly fault?: DataDirectoryFault; readonly message: string };
}

export function readyMessage({ port }: RunningServer): ReadyMessage {
  return port === undefined ? {} : { port };
}

export function failureMessage(error: unknown): ReadyMessage {
  const message = error instanceof Error ? error.message : String(error);
  return { error: error instanceof DataDirectoryError ? { fault: error.fault, message } : { message } };
}
