import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningService, startService } from '../../app/start-service.js';
import { configFrom } from '../../shared/config/config.js';
import { systemRandomness, ulidIds } from '../../shared/ids/ids.js';
import { createLogger } from '../../shared/telemetry/logger.js';
import { startTestServer, type TestServer } from '../support/database.js';
import { Http } from '../support/http.js';

const OPERATOR_KEY = 'operator-key-for-tests-of-the-edge-012';

/** Services over one database, as processes beside each other would be. */
export interface EdgeKit {
  readonly server: TestServer;
  /** One more service on the same database. */
  start(env?: Readonly<Record<string, string>>): Promise<{ readonly operator: Http; readonly service: RunningService }>;
  /** Everything that any of them has logged. */
  log(): string;
  stop(): Promise<void>;
}

export async function edgeKit(): Promise<EdgeKit> {
  const server = await startTestServer();
  const dataDir = await mkdtemp(join(tmpdir(), 'eas-edge-'));
  const running: RunningService[] = [];
  const lines: string[] = [];
  const logger = createLogger('debug', { write: (line: string) => void lines.push(line) });
  return {
    server,
    start: async (env = {}) => {
      const config = configFrom({
        PORT: '0',
        MONGODB_URI: server.uri,
        SERVICE_DATA_DIR: dataDir,
        SERVICE_ADMIN_API_KEY: OPERATOR_KEY,
        SERVICE_LOG_LEVEL: 'silent',
        ...env,
      });
      const service = await startService(config, { logger });
      running.push(service);
      return { service, operator: new Http(service.url, OPERATOR_KEY) };
    },
    log: () => lines.join(''),
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
