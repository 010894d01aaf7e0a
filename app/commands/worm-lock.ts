import { StartRefused } from '../../shared/errors/start-refused.js';
import { lengthenBucketLocks } from '../../shared/worm/open-worm-store.js';
import { runCommand } from './run-command.js';

// `npm run worm:lock` locks each object that the service still needs for another SERVICE_WORM_S3_RETAIN_DAYS from now.

void runCommand(async ({ config, openStores, say }) => {
  if (config.wormBucket === null) throw new StartRefused('worm:lock needs SERVICE_WORM_DRIVER=s3');
  const { base } = await openStores();
  const { lengthened, left } = await lengthenBucketLocks({ ...base, limits: config.worm }, config.wormBucket);
  say(
    `${lengthened} locks now last ${config.wormBucket.retainDays} days; ${left} objects are gone or locked for longer`,
  );
  return true;
});
