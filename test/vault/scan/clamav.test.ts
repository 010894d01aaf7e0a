import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { delay } from '../../../shared/clock/timers.js';
import { clamavEngine } from '../../../subgraphs/vault/scan/adapters/clamav.js';
import { describeUnless, lackOf } from '../../support/needs.js';

const contentOf = (bytes: Buffer) => ({
  sha256: '0'.repeat(64),
  size: bytes.length,
  media_type: 'application/octet-stream',
  filename: 'content',
  async *read() {
    for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
  },
});

const scan = (port: number, bytes: Buffer, timeoutMs = 5_000) =>
  clamavEngine({ host: '127.0.0.1', port }, timeoutMs).scan(contentOf(bytes));

describe('an emulated clamd', () => {
  let server: Server | null = null;
  const sockets = new Set<Socket>();
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server?.close();
    server = null;
  });
  /** A daemon that does this with what it was sent, once the end of a stream has come. */
  const daemon = (behave: (socket: Socket, sent: Buffer) => void, atOnce = false): Promise<number> =>
    new Promise((resolve) => {
      server = createServer((socket) => {
        sockets.add(socket);
        const pieces: Buffer[] = [];
        socket.on('error', () => socket.destroy());
        if (atOnce) behave(socket, Buffer.alloc(0));
        socket.on('data', (piece: Buffer) => {
          pieces.push(piece);
          const all = Buffer.concat(pieces);
          if (!atOnce && all.subarray(-4).equals(Buffer.alloc(4))) behave(socket, all);
        });
      }).listen(0, '127.0.0.1', () =>
        resolve((server?.address() as unknown as { port: number } | undefined)?.port ?? 0),
      );
    });

  it('gets the bytes in chunks, and its verdict "clean" is accepted', async () => {
    let sent = Buffer.alloc(0);
    const port = await daemon((socket, all) => {
      sent = Buffer.from(all);
      socket.end('stream: OK\0');
    });
    const bytes = Buffer.alloc(250_000, 7);
    expect(await scan(port, bytes)).toEqual([]);
    expect(sent.subarray(0, 10).toString()).toBe('zINSTREAM\0');
    const chunks: Buffer[] = [];
    for (let at = 10; sent.readUInt32BE(at) > 0; at += 4 + sent.readUInt32BE(at)) {
      chunks.push(sent.subarray(at + 4, at + 4 + sent.readUInt32BE(at)));
    }
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
  });

  it('reports malware by name', async () => {
    const port = await daemon((socket) => socket.end('stream: Win.Test.EICAR_HDB-1 FOUND\0'));
    expect(await scan(port, Buffer.from('x'))).toEqual([{ code: 'MALWARE', detail: 'Win.Test.EICAR_HDB-1' }]);
  });

  it('may reject large content, which is a finding', async () => {
    const port = await daemon((socket) => socket.end('INSTREAM size limit exceeded. ERROR\0'), true);
    expect(await scan(port, Buffer.alloc(2_000_000))).toMatchObject([{ code: 'ENGINE_LIMIT' }]);
  });

  it('is retried if its answer was lost with the connection', async () => {
    let connections = 0;
    const port = await daemon((socket) => {
      connections += 1;
      if (connections < 3) socket.resetAndDestroy();
      else socket.end('INSTREAM size limit exceeded. ERROR\0');
    }, true);
    expect(await scan(port, Buffer.alloc(2_000_000))).toMatchObject([{ code: 'ENGINE_LIMIT' }]);
    expect(connections).toBe(3);
  });

  it('has no verdict if it closes early on every attempt', async () => {
    const port = await daemon((socket) => socket.resetAndDestroy(), true);
    await expect(scan(port, Buffer.alloc(2_000_000))).rejects.toThrow('closed the connection');
  });

  it.each<[string, (socket: Socket) => void]>([
    ['says nothing', () => undefined],
    ['closes the connection', (socket) => socket.destroy()],
    ['answers with an error', (socket) => socket.end('stream: Could not open ERROR\0')],
    ['answers without an end', (socket) => socket.write('x'.repeat(10_000))],
    ['says OK and more', (socket) => socket.end('stream: OK FOUND? \0')],
  ])('has not answered when it %s', async (_, behave) => {
    const port = await daemon(behave);
    await expect(scan(port, Buffer.from('x'), 500)).rejects.toThrow();
  });

  it('has no verdict if it does not run', async () => {
    await expect(scan(1, Buffer.from('x'))).rejects.toThrow();
  });
});

const CLAMD = '/usr/sbin/clamd';
const withClamd = describeUnless(lackOf(existsSync(CLAMD), 'clamav-daemon'));

withClamd("Debian's clamav-daemon, with a signature from the test", () => {
  const port = 20_000 + (process.pid % 20_000);
  let folder: string;
  let clamd: ChildProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eas-clamd-'));
    // Type 0 (any file), anywhere: the bytes of "EAS-TEST-SIGNATURE".
    const hex = Buffer.from('EAS-TEST-SIGNATURE').toString('hex');
    await writeFile(join(folder, 'own.ndb'), `Eas.Test.Signature:0:*:${hex}\n`);
    const settings = ['Foreground yes', `DatabaseDirectory ${folder}`, `TCPSocket ${port}`, 'TCPAddr 127.0.0.1'];
    const limits = ['StreamMaxLength 4M', 'DisableCertCheck yes', `TemporaryDirectory ${folder}`];
    await writeFile(join(folder, 'clamd.conf'), `${[...settings, ...limits].join('\n')}\n`);
    clamd = spawn(CLAMD, [`--config-file=${join(folder, 'clamd.conf')}`], { stdio: 'ignore' });
    const deadlineMs = Date.now() + 150_000;
    for (;;) {
      const answered = await scan(port, Buffer.from('x')).then(
        () => true,
        () => false,
      );
      if (answered || Date.now() > deadlineMs) return;
      await delay(100);
    }
  });

  afterAll(async () => {
    clamd.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  it('passes clean content', async () => {
    expect(await scan(port, Buffer.from('a letter'))).toEqual([]);
  });

  it('names malware, also in the middle of megabytes', async () => {
    const bytes = Buffer.concat([Buffer.alloc(2_000_000, 65), Buffer.from('EAS-TEST-SIGNATURE'), Buffer.alloc(10)]);
    expect(await scan(port, bytes)).toEqual([{ code: 'MALWARE', detail: 'Eas.Test.Signature.UNOFFICIAL' }]);
  });

  it('reports its size limit', async () => {
    expect(await scan(port, Buffer.alloc(6_000_000))).toMatchObject([{ code: 'ENGINE_LIMIT' }]);
  });
});
