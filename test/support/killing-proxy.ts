import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A command of the database that a program sends. */
interface Sent {
  readonly command: string;
  readonly collection: string;
}

/** A proxy between a program and the embedded database, and kills the program in the middle of its work. */
export interface KillingProxy {
  readonly uri: string;
  /** The process to kill. */
  watch(child: ChildProcess): void;
  stop(): Promise<void>;
}

const HEADER_BYTES = 16;
const OP_MSG = 2013;
/** Header, flags, kind of the section, length of the document, type of its first element. */
const NAME_AT = HEADER_BYTES + 4 + 1 + 4 + 1;

/** The first element of an OP_MSG names the command and, for a text, the collection. */
function sentBy(message: Buffer): Sent | null {
  if (message.readInt32LE(12) !== OP_MSG) return null;
  const end = message.indexOf(0, NAME_AT);
  const command = message.toString('latin1', NAME_AT, end);
  if (message[NAME_AT - 1] !== 2) return { command, collection: '' };
  return { command, collection: message.toString('utf8', end + 5, message.indexOf(0, end + 5)) };
}

/** Splits what a socket receives into messages of the wire protocol. */
function messages(socket: Socket, received: (message: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      received(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  });
}

/**
 * Starts a proxy before an embedded database. It kills the watched process with SIGKILL when the database has done a command:
 * the process never gets the answer.
 *
 * @param uri with the path of the database's socket
 * @param isMoment returns true for the command after which the process dies
 */
export async function startKillingProxy(uri: string, isMoment: (sent: Sent) => boolean): Promise<KillingProxy> {
  const [host = ''] = /(?<=^mongodb:\/\/)[^/?]+/.exec(uri) ?? [];
  const folder = await mkdtemp(join(tmpdir(), 'eas-kill-'));
  const path = join(folder, 'proxy.sock');
  const sockets = new Set<Socket>();
  let child: ChildProcess | undefined;
  const server = createServer((program) => {
    const database = createConnection(decodeURIComponent(host));
    let isDone = false;
    messages(program, (message) => {
      const sent = sentBy(message);
      isDone ||= sent !== null && isMoment(sent);
      database.write(message);
    });
    database.on('data', (chunk: Buffer) => {
      if (isDone) child?.kill('SIGKILL');
      else program.write(chunk);
    });
    for (const [socket, other] of [
      [program, database],
      [database, program],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    uri: uri.replace(host, encodeURIComponent(path)),
    watch: (watched) => {
      child = watched;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
