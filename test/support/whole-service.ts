import type { TestServer } from './database.js';
import { Http } from './http.js';

const OPERATOR_KEY = 'operator-key-for-whole-services-0123';

/** The whole service: real subgraphs, a real throw-away database, real HTTP. */
export interface WholeService {
  readonly operator: Http;
  readonly databaseUri: string;
  stop(): Promise<void>;
}

interface Started {
  readonly name: string;
  readonly url: string;
  readonly databaseUri: string;
}

/**
 * A service of the suite's own, in the process that has loaded it once for the suites of this worker.
 *
 * @param settings environment beside what every whole service has; with MONGODB_URI and SERVICE_DATA_DIR it shares what is
 *   there with others, as processes beside each other do.
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
  const { name, url, databaseUri } = (await ask(host, { method: 'POST', body }).then(JSON.parse)) as Started;
  const stop = async (): Promise<void> => {
    await ask(`${host}/${name}`, { method: 'DELETE' });
    await other?.stop();
  };
  return { operator: new Http(url, OPERATOR_KEY), databaseUri, stop };
}

/** Where TEST_MONGODB_URI names a server, a database of its own there; loaded only then. */
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
