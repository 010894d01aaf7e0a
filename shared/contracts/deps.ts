import type { Clock } from '../clock/clock.js';
import type { Config } from '../config/config.js';
import type { MasterKey } from '../crypto/master-key.js';
import type { Database } from '../db/database.js';
import type { Ids, Randomness } from '../ids/ids.js';
import type { Jobs } from '../jobs/jobs.js';
import type { Logger } from '../telemetry/logger.js';
import type { WormStore } from '../worm/worm-store.js';
import type { ExceptionDesk } from './exceptions.js';
import type { LedgerCounters } from './ledger-counters.js';
import type { SigningKeys } from './signing-keys.js';
import type { SystemLedger } from './system-ledger.js';
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

/** Ports to other subgraphs, for one that may be built before them: they are looked up when they are used. */
export interface LinkedDeps extends BaseDeps {
  /** Entries of the service's own in the reserved partitions. */
  readonly systemLedger: SystemLedger;
  /** Counts for the dashboard. */
  readonly ledgerCounters: LedgerCounters;
  /** What a person must look at. */
  readonly exceptions: ExceptionDesk;
  /** The work beside requests: registered in `build`, run by the processes whose role it is. */
  readonly jobs: Jobs;
}

export interface SubgraphDeps extends LinkedDeps {
  readonly worm: WormStore;
  readonly tenants: TenantDirectory;
  readonly signingKeys: SigningKeys;
}
