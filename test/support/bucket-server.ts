import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { WormBucket } from '../../shared/config/worm-bucket.js';
import { startFakeBucket } from './fake-bucket.js';
import { type Lack, lackOf } from './needs.js';

// Servers with S3 object lock for tests: versitygw (a Go program), moto_server (of the Python package moto[server]), and one in
// this process that needs no program.

const STARTUP_MS = 60_000;

/** A server that serves. */
interface RunningProgram {
  readonly stop: () => Promise<void>;
}

interface BucketProgram {
  readonly name: 'versitygw' | 'moto' | 'in process';
  readonly lack: Lack;
  readonly start: (port: number, folder: string) => Promise<RunningProgram>;
}

const isOnPath = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

const lackOfProgram = (program: string): Lack => lackOf(isOnPath(program), program);

/** Servers of buckets with object lock, each with the reason why tests cannot use it here. */
export const BUCKET_PROGRAMS: readonly BucketProgram[] = [
  {
    name: 'versitygw',
    lack: lackOfProgram('versitygw'),
    start: (port, folder) =>
      running(
        port,
        spawn('versitygw', ['--port', `127.0.0.1:${port}`, 'posix', '--versioning-dir', `${folder}-versions`, folder], {
          env: {
            PATH: process.env['PATH'],
            ROOT_ACCESS_KEY_ID: process.env['AWS_ACCESS_KEY_ID'],
            ROOT_SECRET_ACCESS_KEY: process.env['AWS_SECRET_ACCESS_KEY'],
          },
          stdio: 'ignore',
        }),
      ),
  },
  {
    name: 'moto',
    lack: lackOfProgram('moto_server'),
    start: (port) => running(port, spawn('moto_server', ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })),
  },
  { name: 'in process', lack: null, start: startFakeBucket },
];

/** Waits until a program serves. */
async function running(port: number, child: ChildProcess): Promise<RunningProgram> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await untilServing(`http://127.0.0.1:${port}`, child);
  return {
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export interface BucketServer {
  readonly endpoint: string;
  readonly port: number;
  /** Makes a bucket. @returns settings that lock each object for a century, so that no test reaches the end of a lock */
  bucket(name: string, options?: { readonly lock: boolean }): Promise<WormBucket>;
  stop(): Promise<void>;
}

export const bucketSettings = (endpoint: string, bucket: string): WormBucket => ({
  bucket,
  prefix: 'eas/',
  endpoint,
  region: 'us-east-1',
  pathStyle: true,
  mode: 'COMPLIANCE',
  retainDays: 36_500,
  gatherMs: 0,
});

/** Starts a server on a free port. global-setup.mjs sets the credentials. */
export async function startBucketServer(program: BucketProgram): Promise<BucketServer> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-bucket-'));
  const versions = `${folder}-versions`;
  await mkdir(versions);
  const port = await freePort();
  const server = await program.start(port, folder);
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
  return {
    endpoint,
    port,
    bucket: async (name, { lock } = { lock: true }) => {
      await client.send(new CreateBucketCommand({ Bucket: name, ObjectLockEnabledForBucket: lock }));
      return bucketSettings(endpoint, name);
    },
    stop: async () => {
      client.destroy();
      await server.stop();
      for (const each of [folder, versions]) await rm(each, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a server without a port');
  return address.port;
}

async function untilServing(endpoint: string, child: ChildProcess): Promise<void> {
  for (const from = Date.now(); Date.now() - from < STARTUP_MS; ) {
    if (child.exitCode !== null) throw new Error('the bucket server ended at its start');
    try {
      await fetch(endpoint);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error('the bucket server does not serve');
}
