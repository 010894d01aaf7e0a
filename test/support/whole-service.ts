import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../../app/start-service.js';
import { configFrom } from '../../shared/config/config.js';
import { startTestServer } from './database.js';
import { Http } from './http.js';

const OPERATOR_KEY = 'operator-key-for-whole-services-0123';

/** The whole service in this process: real subgraphs, a real throw-away database, real HTTP. */
export interface WholeService {
  readonly operator: Http;
  readonly databaseUri: string;
  stop(): Promise<void>;
}

/** @param settings environment beside what every whole service has. */
export async function startWholeService(settings: Readonly<Record<string, string>> = {}): Promise<WholeService> {
  const database = await startTestServer();
  const dataDir = await mkdtemp(join(tmpdir(), 'eas-whole-'));
  const env = {
    PORT: '0',
    MONGODB_URI: database.uri,
    SERVICE_DATA_DIR: dataDir,
    SERVICE_ADMIN_API_KEY: OPERATOR_KEY,
    SERVICE_LOG_LEVEL: 'silent',
    ...settings,
  };
  const service = await startService(configFrom(env));
  return {
    operator: new Http(service.url, OPERATOR_KEY),
    databaseUri: database.uri,
    stop: async () => {
      await service.stop();
      await database.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
