import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { temporaryDirectory } from '../../test-server.js';

const here = dirname(fileURLToPath(import.meta.url));
const launch = join(here, '..', '..', '..', '..', 'dist', 'embedded-mongo', 'launch', 'launch.js');

export const COMMIT_MODES = ['sync', 'async'] as const;
export type CommitMode = (typeof COMMIT_MODES)[number];

/** Compiles the library that records or fails the writes of a process. */
export function compileRecorder(): { path: string; remove(): void } | undefined {
  const directory = temporaryDirectory();
  const path = join(directory.path, 'record-writes.so');
  const args = ['-shared', '-fPIC', '-O1', '-o', path, join(here, 'record-writes.c'), '-ldl'];
  if (process.platform === 'linux' && spawnSync('cc', args).status === 0) return { path, remove: directory.remove };
  directory.remove();
  return undefined;
}

export interface RecordedServer {
  readonly uri: string;
  /** The message with which the server ended by itself. */
  said(): string;
  hasEnded(): boolean;
  kill(): Promise<void>;
}

interface Recording {
  readonly recorder: string;
  readonly dataDir: string;
  readonly commitMode: CommitMode;
  /** Where to record the writes. */
  readonly journal?: string;
  /** The number of writes after which the disk is full. */
  readonly writesAllowed?: number;
}

/** Starts a server and records its writes. Undefined when it could not start. */
export async function startRecorded(recording: Recording): Promise<RecordedServer | undefined> {
  const { recorder, dataDir, commitMode, journal, writesAllowed } = recording;
  const script = `import { startInThread } from ${JSON.stringify(launch)};
    const running = await startInThread({ dataDir: ${JSON.stringify(dataDir)}, commitMode: '${commitMode}' });
    process.stdout.write(running.uri + '\\n');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      LD_PRELOAD: recorder,
      ...(journal === undefined ? {} : { EAS_WRITE_JOURNAL: journal }),
      ...(writesAllowed === undefined ? {} : { EAS_WRITES_ALLOWED: String(writesAllowed) }),
    },
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const uri = await Promise.race([once(lines, 'line').then(([line]) => String(line)), exited.then(() => undefined)]);
  if (uri === undefined) return undefined;
  return {
    uri,
    said: () => said,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

export interface Entry {
  _id: number;
  n: number;
  pad: string;
}

/** Reads back the values that a server acknowledged. */
export async function stored(uri: string): Promise<{ values: Map<number, number>; valid: unknown }> {
  const client = await MongoClient.connect(uri);
  const db = client.db('power');
  const values = new Map((await db.collection<Entry>('c').find().toArray()).map(({ _id, n }) => [_id, n]));
  const exists = (await db.listCollections().toArray()).length > 0;
  const valid = exists ? (await db.command({ validate: 'c', full: true })).valid : true;
  await client.close();
  return { values, valid };
}
