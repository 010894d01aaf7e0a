import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRandomness, ulidIds } from '../../shared/ids/ids.js';
import { startTestServer, type TestServer } from '../support/database.js';
import type { Http } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

/** Services over one database, like several processes of one deployment. */
export interface EdgeKit {
  readonly server: TestServer;
  /** One more service on the same database. */
  start(env?: Readonly<Record<string, string>>): Promise<{ readonly operator: Http }>;
  /** Everything that any of them has logged. */
  log(): string;
  stop(): Promise<void>;
}

export async function edgeKit(): Promise<EdgeKit> {
  const server = await startTestServer();
  const dataDir = await mkdtemp(join(tmpdir(), 'eas-edge-'));
  const logFile = join(dataDir, 'log');
  const running: WholeService[] = [];
  return {
    server,
    start: async (env = {}) => {
      const shared = { MONGODB_URI: server.uri, SERVICE_DATA_DIR: dataDir, SERVICE_LOG_LEVEL: 'debug' };
      const service = await startWholeService({ ...shared, ...env }, logFile);
      running.push(service);
      return service;
    },
    log: () => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : ''),
    stop: async () => {
      for (const service of running) await service.stop();
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const ids = ulidIds(() => Date.now(), systemRandomness());

/** A fresh Idempotency-Key as headers. */
export const keyed = (): Record<string, string> => ({ 'idempotency-key': ids.next('request').slice(4) });
