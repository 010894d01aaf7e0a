import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { accepts, codeOf } from './data-directory.js';

/** A `sockaddr_un` holds 108 bytes with its end mark on Linux, 104 on others. */
export const MAX_SOCKET_PATH_BYTES = 103;
/** Private folders of sockets for data directories with too long a path. */
const OUTSIDE = 'embedded-mongo-socket-';
/** Sockets that servers create in a data directory. */
export const SOCKET_NAME = /^(db|owner)-[0-9a-f]+\.sock$/;

/** A new socket path in the data directory, or (where that is too long) in a private temporary directory. */
export function newSocketPath(dataDir: string, kind: 'db' | 'owner', token: string): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\embedded-mongo-${kind}-${token}`;
  const name = `${kind}-${token}.sock`;
  const inside = join(dataDir, name);
  return Buffer.byteLength(inside) <= MAX_SOCKET_PATH_BYTES ? inside : join(mkdtempSync(join(tmpdir(), OUTSIDE)), name);
}

/** Removes a socket that no process serves, with its private folder. Leaves everything else. */
export async function removeDeadSocket(path: string): Promise<void> {
  if (!isSocket(path) || (await accepts({ socketPath: path }))) {
    removePrivateFolder(path);
    return;
  }
  rmSync(path, { force: true });
  removePrivateFolder(path);
}

/** Removes the sockets of killed servers from a data directory. The caller owns the directory. */
export async function removeDeadSockets(dataDir: string): Promise<void> {
  for (const name of readdirSync(dataDir)) {
    if (SOCKET_NAME.test(name)) await removeDeadSocket(join(dataDir, name));
  }
}

function isSocket(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() ?? false;
}

/** A folder that still holds a socket stays. */
function removePrivateFolder(socketPath: string): void {
  const folder = dirname(socketPath);
  if (!basename(folder).startsWith(OUTSIDE)) return;
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
  }
}
