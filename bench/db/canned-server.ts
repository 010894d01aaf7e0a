import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { serialize } from 'bson';

/** A server with hello, ping and one prepared answer to everything else: the upper bound for any client. */
export interface CannedServer {
  readonly uri: string;
  stop(): void;
}

interface Input {
  readonly socketPath: string;
  readonly answer: Uint8Array;
}

export async function startCannedServer(answer: Buffer): Promise<CannedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-canned-'));
  const socketPath = join(folder, 'canned.sock');
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { socketPath, answer } satisfies Input });
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', reject);
  });
  return {
    uri: `mongodb://${encodeURIComponent(socketPath)}/`,
    stop: () => {
      void worker.terminate().then(() => rm(folder, { recursive: true, force: true }));
    },
  };
}

const OP_QUERY = 2004;
const hello = serialize({
  helloOk: true,
  isWritablePrimary: true,
  ismaster: true,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  minWireVersion: 0,
  maxWireVersion: 25,
  readOnly: false,
  ok: 1,
});

function message(opCode: number, prefix: Buffer, document: Uint8Array): Buffer {
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + prefix.length + document.length, 0);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, prefix, document]);
}

function replyTo(request: Buffer, answer: Buffer): Buffer {
  const opCode = request.readInt32LE(12);
  const isHello = opCode === OP_QUERY || request.includes('hello') || request.includes('ismaster');
  let reply: Buffer = Buffer.from(answer);
  if (opCode === OP_QUERY) {
    const prefix = Buffer.alloc(20);
    prefix.writeInt32LE(8, 0);
    prefix.writeInt32LE(1, 16);
    reply = message(1, prefix, hello);
  } else if (isHello) reply = message(2013, Buffer.alloc(5), hello);
  reply.writeInt32LE(request.readInt32LE(4), 8);
  return reply;
}

function serve({ socketPath, answer }: Input, ready: () => void): void {
  const prepared = Buffer.from(answer);
  createServer((socket) => {
    socket.on('error', () => socket.destroy());
    let rest: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
        const length = rest.readInt32LE(0);
        socket.write(replyTo(rest.subarray(0, length), prepared));
        rest = rest.subarray(length);
      }
    });
  }).listen(socketPath, ready);
}

if (!isMainThread && workerData !== null) {
  const { parentPort } = await import('node:worker_threads');
  serve(workerData as Input, () => parentPort?.postMessage('ready'));
}
