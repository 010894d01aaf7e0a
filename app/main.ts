import { systemClock } from '../shared/clock/clock.js';
import { within } from '../shared/clock/timers.js';
import { type Config, configFromProcess } from '../shared/config/config.js';
import { ConfigError } from '../shared/config/entry.js';
import { createLogger, type Logger } from '../shared/telemetry/logger.js';
import { StartRefused } from './data-directory.js';
import { FrontDoor } from './front-door.js';
import { openDatabase } from './resolve-database.js';
import type { RunningService } from './start-service.js';

// `npm start` starts the service in the role of SERVICE_MODE.

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

function announce(config: Config, service: RunningService): void {
  const role = config.mode === 'all' ? '' : ` (${config.mode})`;
  say(`Evidentiary Audit Service${role} listens on ${service.url}`);
  if (service.operatorKey !== undefined) say(`Operator key (shown once, keep it): ${service.operatorKey}`);
  if (config.mode === 'all' || config.mode === 'facade') say(`API description: ${service.url}/v1/openapi.json`);
}

/** The roles that serve clients; the others open a server of their own (role-server.ts). */
const FACADE_MODES: ReadonlySet<string> = new Set(['all', 'facade', 'gateway']);

/** Longest wait for clients to close idle connections. */
const DRAIN_MS = 5_000;
/** An orchestrator kills at 30 s. Work under way is leased or keyed, so that another process takes it over. */
const STOP_DEADLINE_MS = 25_000;

/**
 * SIGTERM stops in order: readiness 503, no new connections, requests under way answered, background work ended. SIGINT
 * does the same without waiting for idle clients. A second signal ends the process at once; every acknowledged write is on
 * disk.
 */
function stopOnSignals(service: RunningService, logger: Logger): void {
  let stopping = false;
  const onSignal = (drainMs: number) => (): void => {
    if (stopping) process.exit(130);
    stopping = true;
    logger.info('stopping');
    within(
      STOP_DEADLINE_MS,
      service.stop({ drainMs }).then(() => true),
    ).then(
      (stopped) => {
        if (stopped === undefined) logger.warn('the stop took too long; another process takes the work over');
        process.exit(0);
      },
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGTERM', onSignal(DRAIN_MS));
  process.on('SIGINT', onSignal(0));
}

function fail(error: unknown): never {
  const expected = error instanceof ConfigError || error instanceof StartRefused;
  const text = error instanceof Error ? (expected ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(expected ? 2 : 1);
}

async function main(): Promise<void> {
  try {
    const config = configFromProcess();
    const logger = createLogger(config.logLevel);
    // The port is taken before anything is written.
    const door = FACADE_MODES.has(config.mode) ? await FrontDoor.open(config) : undefined;
    // The database starts in its own process while this one loads the rest of the code.
    const database = config.mode === 'all' ? openDatabase(config, systemClock, logger) : undefined;
    // startService awaits the database and reports its failure; this avoids an unhandled rejection until then.
    database?.catch(() => {});
    const { startService } = await import('./start-service.js');
    const service = await startService(config, {
      logger,
      ...(database ? { database } : {}),
      ...(door ? { door } : {}),
      signerProcess: config.mode === 'all',
    });
    stopOnSignals(service, logger);
    announce(config, service);
  } catch (error) {
    fail(error);
  }
}

void main();
