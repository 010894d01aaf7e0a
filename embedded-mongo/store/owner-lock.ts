import {
  chmodSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { isRecord } from '../checked-access.js';
import { type Address, accepts, codeOf, DataDirectoryError, serves, textOf } from './data-directory.js';
import { newSocketPath, removeDeadSocket, removeDeadSockets, SOCKET_NAME } from './sockets.js';

/** The lock: a symbolic link to the owner's private socket. Short links need no disk block, so a full disk can lock. */
const LOCK_NAME = 'owner.lock';
/** Where the owner serves, for backups and for versions without a lock link. */
const FILE_NAME = 'owner.json';
/** Errors of a disk without space; the file is information, so the server runs without it. */
const NO_ROOM: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

type Owner = { readonly pid: number; readonly guard?: string } & Address;

/** The lock on a data directory: counters and catalog are in memory, so only one server may open it. */
export interface OwnerLock {
  /** Records the address that the owner serves. */
  publish(address: Address): void;
  release(): Promise<void>;
}

/**
 * Locks the directory for this server, before it binds its addresses. An owner is alive while its private socket, which
 * no other start uses, accepts connections. So a restart on the address of a dead server never finds itself there. This
 * works for threads and processes and does not depend on process ids.
 */
export async function takeOwnerLock(dataDir: string, token: string): Promise<OwnerLock> {
  const guard = await listenOnGuard(newSocketPath(dataDir, 'owner', token));
  const path = join(dataDir, LOCK_NAME);
  try {
    await refuseOwner(dataDir);
    await refuseOtherSockets(dataDir, guard.socketPath);
    while (!tryLock(path, guard.socketPath, token)) await removeIfStale(path, dataDir, token);
    // Another owner may have removed the socket as dead before this server listened on it.
    if (!exists(guard.socketPath)) {
      unlinkSync(path);
      throw inUse(dataDir, 'a server that starts at the same time');
    }
    await clean(dataDir);
  } catch (error) {
    await guard.close();
    throw error;
  }
  guard.hold();
  return {
    publish: (address) => writeOwner(dataDir, { pid: process.pid, guard: guard.socketPath, ...address }, token),
    release: async () => {
      if (parseOwner(readText(join(dataDir, FILE_NAME)) ?? '')?.guard === guard.socketPath)
        unlinkSync(join(dataDir, FILE_NAME));
      if (readLock(path) === guard.socketPath) unlinkSync(path);
      await guard.close();
    },
  };
}

function inUse(dataDir: string, who: string): DataDirectoryError {
  return new DataDirectoryError('in-use', `${dataDir} is in use by ${who}: stop it first`);
}

/** The current server of a directory; undefined when there is none. */
export async function liveOwner(dataDir: string): Promise<Owner | undefined> {
  const owner = parseOwner(readText(join(dataDir, FILE_NAME)) ?? '');
  return owner && (await isAlive(owner)) ? owner : undefined;
}

/** Whether a server owns the directory, also one that is still starting. */
export async function isOwned(dataDir: string): Promise<boolean> {
  const guard = readLock(join(dataDir, LOCK_NAME)) ?? '';
  return (guard !== '' && (await accepts({ socketPath: guard }))) || (await liveOwner(dataDir)) !== undefined;
}

function isAlive(owner: Owner): Promise<boolean> {
  return accepts(owner.guard === undefined ? owner : { socketPath: owner.guard });
}

async function refuseOwner(dataDir: string): Promise<void> {
  const owner = await liveOwner(dataDir);
  if (owner) throw inUse(dataDir, `process ${owner.pid}, listening on ${textOf(owner)}`);
}

/** Finds a live server without a lock: it still listens in the directory. */
async function refuseOtherSockets(dataDir: string, own: string): Promise<void> {
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name);
    // Of several servers that start at once none serves yet: the lock decides.
    if (!SOCKET_NAME.test(name) || path === own || !(await serves(path))) continue;
    throw inUse(dataDir, `a process listening on ${path}`);
  }
}

/** A link appears atomically, and only on a free name. Windows restricts symbolic links: a file with a hard link there. */
function tryLock(path: string, guard: string, token: string): boolean {
  const draft = `${path}.${token}`;
  try {
    if (process.platform !== 'win32') symlinkSync(guard, path);
    else {
      writeFileSync(draft, guard);
      linkSync(draft, path);
    }
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    if (process.platform === 'win32') unlinkSync(draft);
  }
}

async function removeIfStale(path: string, dataDir: string, token: string): Promise<void> {
  const found = readLock(path);
  if (found === undefined) return;
  if (found !== '' && (await accepts({ socketPath: found })))
    throw inUse(dataDir, `the server of ${found}, which may still be starting`);
  const aside = `${path}.stale.${token}`;
  if (!tryRename(path, aside)) return;
  // Another starter may have replaced the lock since it was read: then restore it.
  const moved = readLock(aside);
  if (moved !== undefined && moved !== found) tryLock(path, moved, token);
  unlinkSync(aside);
  if (moved === found && found !== '') await removeDeadSocket(found);
}

/** Removes what a killed owner left. */
async function clean(dataDir: string): Promise<void> {
  const before = parseOwner(readText(join(dataDir, FILE_NAME)) ?? '');
  if (before && 'socketPath' in before) await removeDeadSocket(before.socketPath);
  await removeDeadSockets(dataDir);
}

function writeOwner(dataDir: string, owner: Owner, token: string): void {
  const path = join(dataDir, FILE_NAME);
  const draft = `${path}.${token}`;
  try {
    writeFileSync(draft, JSON.stringify(owner), { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    if (!NO_ROOM.has(codeOf(error))) throw error;
    unlinkSync(draft);
  }
}

interface Guard {
  readonly socketPath: string;
  /** Keeps connections open: the server owns its directory. */
  hold(): void;
  close(): Promise<void>;
}

async function listenOnGuard(socketPath: string): Promise<Guard> {
  const held = new Set<Socket>();
  let isHolding = false;
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    if (!isHolding) {
      socket.destroy();
      return;
    }
    held.add(socket);
    socket.once('close', () => held.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  if (process.platform !== 'win32') chmodSync(socketPath, 0o600);
  return {
    socketPath,
    hold: () => {
      isHolding = true;
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      for (const socket of held) socket.destroy();
      await closed;
      await removeDeadSocket(socketPath);
    },
  };
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

function exists(path: string): boolean {
  return process.platform === 'win32' || lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** @returns the socket that a lock names; "" for a lock that names none; undefined without a lock. */
function readLock(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) !== 'EINVAL' && codeOf(error) !== 'UNKNOWN') throw error;
    return readText(path);
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A file torn by a crash has no owner. */
function parseOwner(text: string): Owner | undefined {
  try {
    const owner: unknown = JSON.parse(text);
    if (!isRecord(owner)) return undefined;
    const { pid, socketPath, port } = owner;
    if (typeof pid !== 'number') return undefined;
    const guard = typeof owner['guard'] === 'string' ? { guard: owner['guard'] } : {};
    if (typeof port === 'number') return { pid, ...guard, port };
    return typeof socketPath === 'string' ? { pid, ...guard, socketPath } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
