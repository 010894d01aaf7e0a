import { mkdir } from 'node:fs/promises';
import { DataDirectoryError, type Encryption, type Running, startChild } from '../embedded-mongo/index.js';
import type { Clock } from '../shared/clock/clock.js';
import { delay } from '../shared/clock/timers.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { StartRefused } from './data-directory.js';

/** A child that dies more often, or that cannot start this often, does not recover by a restart. */
const MAX_RESTARTS_PER_MINUTE = 5;
const MINUTE_MS = 60_000;
/** Before the second and each further try to start, times the number of tries. */
const RETRY_PAUSE_MS = 200;
/** Faults of the folder that no further try mends. */
const FINAL_FAULTS: ReadonlySet<string> = new Set(['damaged', 'foreign', 'format', 'locked']);

interface EmbeddedDatabase {
  readonly uri: string;
  stop(): Promise<void>;
}

export interface EmbeddedDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when restarts do not help: the process cannot serve without its database. */
  readonly onLost: (reason: string) => void;
  /** The transport of the database, for tests; the platform decides otherwise. */
  readonly transport?: 'socket' | 'tcp';
}

/**
 * Starts the embedded database as a child process, and restarts it on the same address when it dies. Clients reconnect,
 * and every acknowledged write is on disk.
 */
export async function startEmbeddedDatabase(
  folder: string,
  deps: EmbeddedDeps,
  encryption?: Encryption,
): Promise<EmbeddedDatabase> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const supervisor = new Supervisor(folder, deps, encryption);
  try {
    return { uri: await supervisor.start(), stop: () => supervisor.stop() };
  } catch (error) {
    if (error instanceof DataDirectoryError) throw new StartRefused(error.message);
    throw error;
  }
}

/** Keeps one child running. */
class Supervisor {
  readonly #folder: string;
  readonly #deps: EmbeddedDeps;
  readonly #encryption: Encryption | undefined;
  /** Times of the restarts of the last minute. */
  #restartsMs: number[] = [];
  #running: Running | undefined;
  #restarting: Promise<void> | undefined;
  #stopping = false;

  constructor(folder: string, deps: EmbeddedDeps, encryption: Encryption | undefined) {
    this.#folder = folder;
    this.#deps = deps;
    this.#encryption = encryption;
  }

  async start(): Promise<string> {
    this.#running = await this.#startChild();
    return this.#running.uri;
  }

  /** Stops the child, also one that a restart is just starting. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#restarting;
    await this.#running?.stop();
  }

  #startChild(before?: Running): Promise<Running> {
    const { transport } = this.#deps;
    return startChild({
      dataDir: this.#folder,
      ...(this.#encryption === undefined ? {} : { encryption: this.#encryption }),
      ...(transport === undefined ? {} : { transport }),
      ...(before === undefined ? {} : sameAddress(before)),
      onExit: (reason) => {
        if (!this.#stopping) this.#restarting = this.#restart(reason, before ?? this.#running);
      },
    });
  }

  async #restart(reason: string, before: Running | undefined): Promise<void> {
    let cause = reason;
    for (let tries = 0; !this.#stopping; tries += 1) {
      if (!this.#mayRestart()) {
        this.#deps.onLost(cause);
        return;
      }
      this.#deps.logger.error({ reason: cause }, 'the embedded database ended; restarting it');
      if (tries > 0) await delay(RETRY_PAUSE_MS * tries);
      try {
        this.#running = await this.#startChild(before);
        return;
      } catch (error) {
        cause = error instanceof Error ? error.message : String(error);
        if (!(error instanceof DataDirectoryError && FINAL_FAULTS.has(error.fault))) continue;
        this.#deps.onLost(cause);
        return;
      }
    }
  }

  /** Counts a restart, unless the last minute had too many. */
  #mayRestart(): boolean {
    const nowMs = this.#deps.clock.nowMs();
    this.#restartsMs = this.#restartsMs.filter((atMs) => nowMs - atMs < MINUTE_MS);
    if (this.#restartsMs.length >= MAX_RESTARTS_PER_MINUTE) return false;
    this.#restartsMs.push(nowMs);
    return true;
  }
}

/** @returns the address that clients reconnect to: a socket, or a port on platforms without unix sockets. */
function sameAddress({ socketPath, port }: Running): { socketPath: string } | { tcp: { port: number } } {
  return port !== undefined && socketPath === '' ? { tcp: { port } } : { socketPath };
}
