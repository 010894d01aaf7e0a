import { mkdir } from 'node:fs/promises';
import { DataDirectoryError, type Running, startChild } from '../embedded-mongo/launch.js';
import type { Clock } from '../shared/clock/clock.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { StartRefused } from './data-directory.js';

/** A child that dies this often within a minute will not get better by being started again. */
const MAX_RESTARTS_PER_MINUTE = 5;
const MINUTE_MS = 60_000;

export interface EmbeddedDatabase {
  readonly uri: string;
  stop(): Promise<void>;
}

export interface EmbeddedDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when the database is gone for good: the process cannot serve without it. */
  readonly onLost: (reason: string) => void;
}

/**
 * The embedded database as a child process. When the child dies by itself it is started again on the same socket:
 * clients reconnect, what was acknowledged is on disk, and the service resumes without hands.
 */
export async function startEmbeddedDatabase(folder: string, deps: EmbeddedDeps): Promise<EmbeddedDatabase> {
  await mkdir(folder, { recursive: true });
  const restarts: number[] = [];
  let stopping = false;
  let running: Running;

  const start = async (before?: Running): Promise<Running> =>
    startChild({
      dataDir: folder,
      ...(before === undefined ? {} : sameAddress(before)),
      onExit: (reason) => {
        if (!stopping) void restart(reason);
      },
    });

  const restart = async (reason: string): Promise<void> => {
    const now = deps.clock.nowMs();
    const recent = restarts.filter((at) => now - at < MINUTE_MS);
    restarts.splice(0, restarts.length, ...recent, now);
    if (recent.length >= MAX_RESTARTS_PER_MINUTE) {
      deps.onLost(reason);
      return;
    }
    deps.logger.error({ reason }, 'the embedded database ended and is started again');
    try {
      running = await start(running);
    } catch (error) {
      deps.onLost(error instanceof Error ? error.message : String(error));
    }
  };

  try {
    running = await start();
  } catch (error) {
    if (error instanceof DataDirectoryError) throw new StartRefused(error.message);
    throw error;
  }
  return {
    uri: running.uri,
    stop: async () => {
      stopping = true;
      await running.stop();
    },
  };
}

/** Clients know the address and reconnect to it: a socket, or a port where the platform has no unix sockets. */
function sameAddress({ socketPath, port }: Running): { socketPath: string } | { tcp: { port: number } } {
  return port !== undefined && socketPath === '' ? { tcp: { port } } : { socketPath };
}
