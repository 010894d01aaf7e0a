import { linkSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { connect, type NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import { DataDirectoryError } from './data-directory-error.js';

const fileName = 'owner.json';

/** Where a server can be reached on this machine. */
export type Address = { readonly socketPath: string } | { readonly port: number };

export type Owner = { readonly pid: number } & Address;

/** For `connect`; TCP is loopback. */
export function connectOptions(address: Address): NetConnectOpts {
  return 'port' in address ? { host: '127.0.0.1', port: address.port } : { path: address.socketPath };
}

function textOf(address: Address): string {
  return 'port' in address ? `port ${address.port}` : address.socketPath;
}

/** The right to a data directory: counters and catalog are held in memory, so there can be only one server on it. */
export interface OwnerLock {
  release(): void;
}

/**
 * Takes the directory for the server that already listens on `address`. An owner is alive as long as its socket
 * accepts: that holds for threads as for processes, and cannot be fooled by a process id used again.
 */
export async function takeOwnerLock(dataDir: string, address: Address, token: string): Promise<OwnerLock> {
  const path = join(dataDir, fileName);
  const mine = JSON.stringify({ pid: process.pid, ...address });
  const draft = join(dataDir, `${fileName}.${token}`);
  writeFileSync(draft, mine, { mode: 0o600 });
  try {
    await refuseOtherSockets(dataDir, 'socketPath' in address ? address.socketPath : '');
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
  return owner && (await accepts(owner)) ? owner : undefined;
}

async function removeIfStale(path: string, dataDir: string, token: string): Promise<void> {
  const found = readText(path);
  if (found === undefined) return;
  const owner = parseOwner(found);
  if (owner && (await accepts(owner))) {
    throw new DataDirectoryError(
      'in-use',
      `${dataDir} is in use by process ${owner.pid}, listening on ${textOf(owner)}: stop it first`,
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
    const { pid, socketPath, port } = JSON.parse(text) as { pid?: unknown; socketPath?: unknown; port?: unknown };
    if (typeof pid !== 'number') return undefined;
    if (typeof port === 'number') return { pid, port };
    return typeof socketPath === 'string' ? { pid, socketPath } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether somebody listens there. */
export function accepts(address: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(connectOptions(address));
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
