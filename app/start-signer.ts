import { systemClock } from '../shared/clock/clock.js';
import { StartRefused } from '../shared/errors/start-refused.js';
import { systemRandomness } from '../shared/ids/ids.js';
import { describeUnexpected } from '../shared/telemetry/describe-error.js';
import { serveSigner } from '../signer/index.js';
import type { RunningService, Start } from './start-service.js';

/** SERVICE_MODE=signer: the signer alone, for services that run as another user. It opens no port. @throws StartRefused */
export async function startSigner({ config, overrides, logger, lifecycle, closing }: Start): Promise<RunningService> {
  const { masterKeyHex, production, signer } = config;
  if (masterKeyHex === null && production)
    throw new StartRefused('SERVICE_MASTER_KEY is required when NODE_ENV is production');
  const served = await serveSigner({
    folder: signer.dir,
    sharedSocket: signer.socket,
    masterKeyHex,
    clock: overrides.clock ?? systemClock,
    randomness: systemRandomness(),
    report: (error) => {
      logger.error(describeUnexpected(error), 'the signer failed');
      // What a failed write has left on disk is read by the next start.
      if (served?.engine.isSound === false) process.exit(1);
    },
  });
  if (served === null) throw new StartRefused(`another process is the signer of ${signer.dir}`);
  closing.add(() => served.close());
  return {
    url: served.socketPath,
    databaseDescription: 'none',
    operatorKey: undefined,
    stop: (options = { drainMs: 0 }) => lifecycle.stop(options),
  };
}
