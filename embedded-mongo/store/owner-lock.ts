import { linkSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DataDirectoryError } from './data-directory-error.js';

const fileName = 'owner.json';

export interface Owner {
  readonly pid: number;
  readonly socketPath: string;
}

/** The right to a data directory: counters and catalog are held in memory, so there can be only one server on it. */
export interface OwnerLock {
  release(): void;
}

/**
 * Takes the directory for the server that already listens on `socketPath`. An owner is alive as long as its socket
 * accepts: that holds for threads as for processes, and cannot be fooled by a process id used again.
 */
export async function takeOwnerLock(dataDir: string, socketPath: string, token: string): Promise<OwnerLock> {
  const path = join(dataDir, fileName);
  const mine = JSON.stringify({ pid: process.pid, socketPath });
  const draft = join(dataDir, `${fileName}.${token}`);
  writeFileSync(draft, mine, { mode: 0o600 });
  try {
    await refuseOtherSockets(dataDir, socketPath);
    while (!tryLink(draft, path)) await removeIfStale(path, dataDir, token);
  } finally {
    unlinkSync(draft);
  }
  return { release: () => removeOwn(path, mine) };
}

/** A server whose lock file somebody deleted still listens in its directory. */
async function refuseOtherSockets(dataDir: string, own: string): Promise<void> {
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name);
    // Of several that start at once, none serves yet: the lock file decides between them.
    if (!/^db-[0-9a-f]+\.sock$/.test(name) || path === own || !(await serves(path))) continue;
    throw new DataDirectoryError('in-use', `${dataDir} is in use by a process listening on ${path}: stop it first`);
  }
}

/** A hard link appears whole or not at all, and only where nothing is. */
function tryLink(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Who serves a directory now; undefined when nobody does. */
export async function liveOwner(dataDir: string): Promise<Owner | undefined> {
  const owner = parseOwner(readText(join(dataDir, fileName)) ?? '');
  return owner && (await accepts(owner.socketPath)) ? owner : undefined;
}

async function removeIfStale(path: string, dataDir: string, token: string): Promise<void> {
  const found = readText(path);
  if (found === undefined) return;
  const owner = parseOwner(found);
  if (owner && (await accepts(owner.socketPath))) {
    throw new DataDirectoryError(
      'in-use',
      `${dataDir} is in use by process ${owner.pid}, listening on ${owner.socketPath}: stop it first`,
    );
  }
  const aside = `${path}.stale.${token}`;
  if (!tryRename(path, aside)) return;
  // Another starter may have put its own lock there since it was read: then give it back.
  if (readText(aside) !== found) tryLink(aside, path);
  unlinkSync(aside);
}

function tryRename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function removeOwn(path: string, mine: string): void {
  if (readText(path) === mine) unlinkSync(path);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A lock file torn by a crash names nobody. */
function parseOwner(text: string): Owner | undefined {
  try {
    const { pid, socketPath } = JSON.parse(text) as Partial<Owner>;
    return typeof pid === 'number' && typeof socketPath === 'string' ? { pid, socketPath } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether somebody listens on a unix socket. */
export function accepts(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // EAGAIN: its queue is full, so it lives. All others: nobody is there.
    socket.once('error', (error) => resolve(codeOf(error) === 'EAGAIN'));
  });
}

/** How long a connection must stay open to count as served: one that is still starting closes what comes at once. */
const servedAfterMs = 300;

/** Whether somebody answers on a unix socket, rather than only having bound it. */
function serves(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const timer = setTimeout(() => finish(true), servedAfterMs);
    const finish = (served: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(served);
    };
    socket.once('close', () => finish(false));
    socket.once('error', () => finish(false));
  });
}

function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
}
