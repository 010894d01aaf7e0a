import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { type Running, startInThread } from '../launch/launch.js';

export interface TestServer {
  readonly running: Running;
  readonly client: MongoClient;
  /** Returns a separate database for each test. */
  db(): Db;
  stop(): Promise<void>;
}

export function temporaryDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'embedded-mongo-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * A server on this thread with a connected driver; or the one that TEST_MONGODB_URI names, so that the same behaviour can
 * be asked of another server. Databases then have names of their own and are dropped at the end.
 */
export async function startTestServer(
  options: { ttlIntervalMs?: number; client?: MongoClientOptions } = {},
): Promise<TestServer> {
  const { client: clientOptions, ...serverOptions } = options;
  const given = process.env['TEST_MONGODB_URI'];
  if (given !== undefined) return useOtherServer(given, clientOptions);
  const directory = temporaryDirectory();
  const running = await startInThread({ dataDir: directory.path, ...serverOptions });
  const client = await MongoClient.connect(running.uri, clientOptions);
  let databases = 0;
  return {
    running,
    client,
    db: () => client.db(`test${++databases}`),
    stop: async () => {
      await client.close();
      await running.stop();
      directory.remove();
    },
  };
}

async function useOtherServer(uri: string, options: MongoClientOptions | undefined): Promise<TestServer> {
  const client = await MongoClient.connect(uri, options);
  const prefix = `test-${process.pid}-${Date.now().toString(36)}`;
  const used: Db[] = [];
  const nothing = async () => undefined;
  return {
    running: { uri, socketPath: '', stop: nothing, kill: () => undefined },
    client,
    db: () => {
      const db = client.db(`${prefix}-${used.length}`);
      used.push(db);
      return db;
    },
    stop: async () => {
      for (const db of used) await db.dropDatabase();
      await client.close();
    },
  };
}

/** The error a promise rejects with; fails when it resolves. */
export async function failureOf(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (typeof outcome !== 'object' || outcome === null) throw new Error('it did not fail');
  return outcome as Record<string, unknown>;
}

/** Polls until the condition holds. */
export async function until(condition: () => Promise<boolean> | boolean, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`the condition did not hold within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
