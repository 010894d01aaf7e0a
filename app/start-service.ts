import type { Config } from '../shared/config/config.js';
import { createLogger, type Logger } from '../shared/telemetry/logger.js';
import { Closing } from './closing.js';
import { serveFacade } from './facade.js';
import { buildLocalSubgraphs, startBackgroundWork } from './local-subgraphs.js';
import { openStores, type StartOverrides } from './stores.js';

/** A service that accepts requests. */
export interface RunningService {
  /** `http://host:port`, with the port that was really taken. */
  readonly url: string;
  readonly databaseDescription: string;
  /** Only where this start made the first operator key: shown once. */
  readonly operatorKey: string | undefined;
  /** Answers what is under way, then closes everything in the reverse order of its making. */
  stop(): Promise<void>;
}

/** The composition root: the only place that knows every part. @throws StartRefused, ConfigError */
export async function startService(config: Config, overrides: StartOverrides = {}): Promise<RunningService> {
  const closing = new Closing();
  try {
    return await startAll(config, overrides, overrides.logger ?? createLogger(config.logLevel), closing);
  } catch (error) {
    await closing.run();
    throw error;
  }
}

/** Everything in one process. */
async function startAll(
  config: Config,
  overrides: StartOverrides,
  logger: Logger,
  closing: Closing,
): Promise<RunningService> {
  const stores = await openStores(config, overrides, logger, closing);
  const { admin, all, sources, deps } = await buildLocalSubgraphs(stores, closing);
  startBackgroundWork(all, closing);
  const operator = await admin.ensureOperatorKey();
  const url = await serveFacade({ deps, keys: admin.keys, sources, health: all }, closing);
  return {
    url,
    databaseDescription: stores.databaseDescription,
    operatorKey: operator.apiKey,
    stop: () => closing.run(),
  };
}
