import type { TestServer } from './database.js';
import { Http } from './http.js';

const OPERATOR_KEY = 'operator-key-for-whole-services-0123';

/** The whole service: real subgraphs, a real throw-away database, real HTTP. */
export interface WholeService {
  readonly operator: Http;
  readonly databaseUri: string;
  readonly dataDir: string;
  stop(): Promise<void>;
}

interface Started {
  readonly name: string;
  readonly url: string;
  readonly databaseUri: string;
  readonly dataDir: string;
}

/**
 * Starts a service for one suite, in the process that has loaded it once for the suites of this worker.
 *
 * @param settings environment in addition to the defaults; with MONGODB_URI and SERVICE_DATA_DIR it shares their data with
 *   other processes.
 * @param logFile where its log goes, at the level of the settings.
 */
export async function startWholeService(
  settings: Readonly<Record<string, string>> = {},
  logFile?: string,
): Promise<WholeService> {
  const host = await hostOfWorker();
  const other = await otherDatabase(settings);
  const own = { SERVICE_ADMIN_API_KEY: OPERATOR_KEY, ...(other && { MONGODB_URI: other.uri }), ...settings };
  const body = JSON.stringify({ settings: own, logFile });
  const { name, url, databaseUri, dataDir } = (await ask(host, { method: 'POST', body }).then(JSON.parse)) as Started;
  const stop = async (): Promise<void> => {
    await ask(`${host}/${name}`, { method: 'DELETE' });
    await other?.stop();
  };
  return { operator: new Http(url, OPERATOR_KEY), databaseUri, dataDir, stop };
}

/** Creates a separate database on the server in TEST_MONGODB_URI; loaded only then. */
async function otherDatabase(settings: Readonly<Record<string, string>>): Promise<TestServer | null> {
  if (process.env['TEST_MONGODB_URI'] === undefined || settings['MONGODB_URI'] !== undefined) return null;
  const { startTestServer } = await import('./database.js');
  return startTestServer();
}

/** Where services of this jest worker run; made with the first question. */
const hostOfWorker = (): Promise<string> =>
  ask(`${process.env['EAS_SERVICE_HOSTS']}/${process.env['JEST_WORKER_ID'] ?? '1'}`, {});

async function ask(url: string, init: RequestInit): Promise<string> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
