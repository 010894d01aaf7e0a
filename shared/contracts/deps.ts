import type { Clock } from '../clock/clock.js';
import type { Config } from '../config/config.js';
import type { MasterKey } from '../crypto/master-key.js';
import type { Database } from '../db/database.js';
import type { Ids, Randomness } from '../ids/ids.js';
import type { Logger } from '../telemetry/logger.js';
import type { WormStore } from '../worm/worm-store.js';
import type { TenantDirectory } from './tenants.js';

/** Everything from outside that a subgraph may touch; made once by the composition root and passed down. */
export interface BaseDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly database: Database;
  readonly masterKey: MasterKey;
}

export interface SubgraphDeps extends BaseDeps {
  readonly worm: WormStore;
  readonly tenants: TenantDirectory;
}
