import { systemClock } from '../shared/clock/clock.js';
import { configFromProcess } from '../shared/config/config.js';
import { ConfigError } from '../shared/config/schema.js';
import { createLogger } from '../shared/telemetry/logger.js';
import { StartRefused } from './data-directory.js';
import { openDatabase } from './resolve-database.js';
import type { RunningService } from './start-service.js';

// `npm start`.

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

function announce(service: RunningService): void {
  say(`Evidentiary Audit Service listens on ${service.url}`);
  if (service.operatorKey !== undefined) say(`Operator key (shown once, keep it): ${service.operatorKey}`);
  say(`API description: ${service.url}/v1/openapi.json`);
}

/** First signal: stop in order. Second: leave at once; what was acknowledged is on disk either way. */
function stopOnSignals(service: RunningService): void {
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) process.exit(130);
    stopping = true;
    service.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

function fail(error: unknown): never {
  const expected = error instanceof ConfigError || error instanceof StartRefused;
  const text = error instanceof Error ? (expected ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(expected ? 2 : 1);
}

try {
  const config = configFromProcess();
  const logger = createLogger(config.logLevel);
  // The database starts in its own process while this one loads the rest of the code.
  const database = openDatabase(config, systemClock, logger);
  // A failure is reported where it is awaited, in startService; until then it is no unhandled rejection.
  database.catch(() => {});
  const { startService } = await import('./start-service.js');
  const service = await startService(config, { logger, database });
  stopOnSignals(service);
  announce(service);
} catch (error) {
  fail(error);
}
