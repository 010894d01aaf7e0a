import { createHash } from 'node:crypto';
import { chmod, link, mkdir, rename, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { StartRefused } from '../../shared/errors/start-refused.js';
import { privateFolder } from '../../shared/files/private-folder.js';
import { hasCode } from '../folder/files.js';

let names = 0;

/** A path of a socket has room for 108 bytes, on some systems for 104. */
const MAX_SOCKET_PATH_BYTES = 90;

/** Where the signer of a folder listens. For a long path it is in the system's folder for temporary files. */
export function socketPathOf(folder: string): string {
  const whole = resolve(folder);
  const own = join(whole, 'signer.sock');
  if (Buffer.byteLength(own) <= MAX_SOCKET_PATH_BYTES) return own;
  const name = createHash('sha256').update(whole).digest('hex').slice(0, 24);
  return join(tmpdir(), `eas-signer-${name}`, 'signer.sock');
}

/** True if a process listens there. */
function isServed(path: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}

/**
 * Takes the folder: listens under a unique name, then links the common name to it, which only one process can.
 *
 * @returns the function that lets go; null while another process holds the folder
 */
export async function takePlace(server: Server, path: string): Promise<(() => Promise<void>) | null> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await privateFolder(dirname(path));
  const own = `${path.slice(0, -'.sock'.length)}-${process.pid}-${++names}.sock`;
  // A dead process of this number may have left its name.
  await rm(own, { force: true });
  await listen(server, own);
  if (process.platform !== 'win32') await chmod(own, 0o600);
  const letGo = async (): Promise<void> => {
    await new Promise((done) => {
      server.close(done);
      server.closeAllConnections();
    });
    await rm(own, { force: true });
  };
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      await link(own, path);
      return async () => {
        await rm(path, { force: true });
        await letGo();
      };
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    if (await isServed(path)) break;
    await setAside(path);
  }
  await letGo();
  return null;
}

/**
 * Listens at a second place for services that run as other users of one group. Its folder is the operator's; who holds the
 * signer's folder may take it.
 *
 * @throws StartRefused if it cannot
 */
export async function shareAt(server: Server, path: string): Promise<void> {
  try {
    await rm(path, { force: true });
    await listen(server, path);
    await chmod(path, 0o660);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new StartRefused(`the signer cannot listen on ${path} (${code})`);
  }
}

/** Removes the name of a dead process. Of two that do so, one may have moved the other's fresh name: it is put back. */
async function setAside(path: string): Promise<void> {
  const aside = `${path}.${process.pid}-${++names}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if (await isServed(aside)) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen({ path, readableAll: false, writableAll: false }, () => {
      server.off('error', failed);
      done();
    });
  });
}
