import type { ServerResponse } from 'node:http';

/** Returns a signal that aborts when the connection closes before the answer is sent whole. */
export function leavingSignal(response: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  const look = (): void => {
    if (!response.writableFinished) leaving.abort();
  };
  if (response.destroyed) look();
  else response.once('close', look);
  return leaving.signal;
}
