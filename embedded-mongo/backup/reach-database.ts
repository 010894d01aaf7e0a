import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstUser, passwordFileName } from '../auth/password-file.js';
import { startChild } from '../launch.js';
import { DataDirectoryError } from '../store/data-directory-error.js';
import { connectOptions, liveOwner } from '../store/owner-lock.js';
import { WireClient } from '../wire/client.js';
import { BackupError } from './backup-error.js';

/** A connection to the database in a folder, and whether somebody else runs it. */
export interface Reached {
  readonly client: WireClient;
  readonly servedByOther: boolean;
  /** Why the process that was started for this ended, if it did. */
  lost(): string | undefined;
  close(): Promise<void>;
}

/**
 * Reaches the database through the server that owns its folder; where none runs, one is started for the time. In a
 * process of its own: damage that lmdb falls over must not take this one along.
 */
export async function reachDatabase(dataDir: string): Promise<Reached> {
  if (!existsSync(join(dataDir, 'data.mdb'))) throw new BackupError(`there is no database in ${dataDir}`);
  return (await throughOwner(dataDir)) ?? (await throughChild(dataDir));
}

async function throughOwner(dataDir: string): Promise<Reached | undefined> {
  const owner = await liveOwner(dataDir);
  if (!owner) return undefined;
  const client = await WireClient.connect(connectOptions(owner));
  if ('port' in owner) await logIn(client, dataDir);
  return { client, servedByOther: true, lost: () => undefined, close: async () => client.close() };
}

async function throughChild(dataDir: string): Promise<Reached> {
  let reason: string | undefined;
  try {
    const running = await startChild({ dataDir, onExit: (why) => (reason = why) });
    const client = await WireClient.connect(connectOptions(running));
    if (running.port !== undefined && running.socketPath === '') await logIn(client, dataDir);
    const close = async () => {
      client.close();
      await running.stop();
    };
    return { client, servedByOther: false, lost: () => reason, close };
  } catch (error) {
    // Somebody started a server in the meantime: then it is the way.
    const through = error instanceof DataDirectoryError && error.fault === 'in-use' && (await throughOwner(dataDir));
    if (through) return through;
    throw error;
  }
}

/** Over TCP the server wants to know who asks: the user that was made with the directory, by the password kept in it. */
async function logIn(client: WireClient, dataDir: string): Promise<void> {
  const password = readFileSync(join(dataDir, passwordFileName), 'utf8').trim();
  await client.logIn(firstUser, password);
}
