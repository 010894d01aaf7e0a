import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningService } from '../app/start-service.js';
import { startWorker } from '../embedded-mongo/index.js';
import { configFrom } from '../shared/config/config.js';
import type { StartOptions, StartService, TestService } from './api.js';
import { ManualClock } from './manual-clock.js';
import { makeTenant, TENANT } from './tenants.js';

export { joinService } from './tenants.js';

const OPERATOR_KEY = 'operator-key-of-the-testing-kit-0123456789';
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
  { tenantId = TENANT, scopes }: StartOptions,
  clock: ManualClock | undefined,
  clean: () => Promise<void>,
): Promise<TestService> {
  const at = { url: service.url, operatorKey: OPERATOR_KEY };
  let tenants = 0;
  const newTenant: TestService['newTenant'] = async (options = {}) => {
    tenants += 1;
    return makeTenant(at, { tenantId: `${TENANT}-${tenants}`, ...options });
  };
  try {
    const tenant = await makeTenant(at, { tenantId, ...(scopes === undefined ? {} : { scopes }) });
    const stop = async (): Promise<void> => {
      await service.stop();
      await clean();
    };
    return { ...tenant, ...at, clock, newTenant, stop };
  } catch (error) {
    await service.stop();
    throw error;
  }
}
