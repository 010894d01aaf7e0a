import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningService } from '../app/start-service.js';
import { createApiClient } from '../client/client.js';
import { startWorker } from '../embedded-mongo/index.js';
import { configFrom } from '../shared/config/config.js';
import type { StartService, TestService, TestTenant } from './api.js';
import { ManualClock } from './manual-clock.js';

const OPERATOR_KEY = 'operator-key-of-the-testing-kit-0123456789';
const TENANT = 'test-tenant';
const SETTINGS = {
  PORT: '0',
  HOST: '127.0.0.1',
  SERVICE_ADMIN_API_KEY: OPERATOR_KEY,
  // Temporary data need no secret, and a fixed key saves a key file.
  SERVICE_MASTER_KEY: '5e'.repeat(32),
  SERVICE_RATE_LIMIT_PER_MINUTE: '0',
  SERVICE_LOG_LEVEL: 'silent',
};

/** Starts the whole service in this process, with a separate database in a worker thread. See docs/testing-kit.md. */
export const startService: StartService = async (options = {}) => {
  const clock = options.now === undefined ? undefined : new ManualClock(options.now);
  // The database thread starts while this thread loads the service's code.
  const [database, dataDir, app] = await Promise.all([
    startWorker(),
    mkdtemp(join(tmpdir(), 'eas-kit-')),
    import('../app/start-service.js'),
  ]);
  const clean = async (): Promise<void> => {
    await database.stop();
    await Promise.all(
      [dataDir, `${dataDir}-signer`, `${dataDir}-checkpoints`].map((folder) =>
        rm(folder, { recursive: true, force: true }),
      ),
    );
  };
  try {
    const config = configFrom({ ...SETTINGS, MONGODB_URI: database.uri, SERVICE_DATA_DIR: dataDir, ...options.env });
    const service = await app.startService(config, clock ? { clock } : {});
    return await withTenant(service, options, clock, clean);
  } catch (error) {
    await clean();
    throw error;
  }
};

async function withTenant(
  service: RunningService,
  options: Parameters<StartService>[0] & object,
  clock: ManualClock | undefined,
  clean: () => Promise<void>,
): Promise<TestService> {
  const { url } = service;
  let tenants = 0;
  const newTenant: TestService['newTenant'] = async ({ tenantId, scopes = ['admin'] } = {}) => {
    tenants += 1;
    return makeTenant(url, tenantId ?? `${TENANT}-${tenants}`, scopes);
  };
  try {
    const tenant = await makeTenant(url, options.tenantId ?? TENANT, options.scopes ?? ['admin']);
    const stop = async (): Promise<void> => {
      await service.stop();
      await clean();
    };
    return { ...tenant, url, operatorKey: OPERATOR_KEY, clock, newTenant, stop };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

async function makeTenant(url: string, tenantId: string, scopes: readonly string[]): Promise<TestTenant> {
  await post(url, '/v1/tenants', { tenant_id: tenantId, name: `Tenant ${tenantId}` });
  const key = await post(url, '/v1/api-keys', { tenant_id: tenantId, name: 'testing kit', scopes });
  const apiKey = String(key['api_key']);
  return { tenantId, apiKey, client: createApiClient({ baseUrl: url, apiKey }) };
}

async function post(url: string, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const headers = { 'content-type': 'application/json', 'x-api-key': OPERATOR_KEY };
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the testing kit could not make a tenant: ${path} answered ${answer.status} ${text}`);
  return JSON.parse(text);
}
