import { ConfigError } from './entry.js';
import type { Environment } from './schema.js';

const MS_PER_SECOND = 1000;

/** What an answer to an appended event waits for. */
export interface WormAcknowledge {
  /** `store`: database and write-once store. `database`: the database; the copy follows. */
  readonly by: 'store' | 'database';
  /** Longest time that a copy may follow later; writes answer 503 beyond it. */
  readonly maxLagMs: number;
}

/** @throws ConfigError for any driver but s3: its copies alone are farther than the database */
export function wormAcknowledgeFrom(e: Environment): WormAcknowledge {
  const by = e.SERVICE_WORM_ACKNOWLEDGE;
  if (by === 'database' && e.SERVICE_WORM_DRIVER !== 's3') {
    throw new ConfigError('Configuration refused:\n  SERVICE_WORM_ACKNOWLEDGE: database needs SERVICE_WORM_DRIVER=s3');
  }
  return { by, maxLagMs: e.SERVICE_WORM_MAX_LAG_SECONDS * MS_PER_SECOND };
}
