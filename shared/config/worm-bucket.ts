import { ConfigError } from './entry.js';
import type { Environment } from './schema.js';

/** Names of the modes as S3 has them. A COMPLIANCE lock cannot be shortened; a separate right lifts a GOVERNANCE lock. */
type LockMode = 'COMPLIANCE' | 'GOVERNANCE';

/** The bucket with the write-once bytes. Plain data: it also goes to the thread of archives. */
export interface WormBucket {
  readonly bucket: string;
  /** Begins the name of each object; empty, or ends with a slash. */
  readonly prefix: string;
  /** Null for the endpoint of the region. */
  readonly endpoint: string | null;
  /** Null for the region of the SDK's own configuration. */
  readonly region: string | null;
  readonly pathStyle: boolean;
  readonly mode: LockMode;
  /** Term of the lock of each new object. */
  readonly retainDays: number;
  /** Time for which a group of records waits for further records. */
  readonly gatherMs: number;
}

/** @throws ConfigError if the driver lacks its bucket, or a bucket lacks its driver */
export function wormBucketFrom(e: Environment): WormBucket | null {
  const { SERVICE_WORM_S3_BUCKET: bucket } = e;
  if (e.SERVICE_WORM_DRIVER !== 's3') {
    if (bucket === null) return null;
    throw new ConfigError('Configuration refused:\n  SERVICE_WORM_S3_BUCKET: needs SERVICE_WORM_DRIVER=s3');
  }
  if (bucket === null) {
    throw new ConfigError('Configuration refused:\n  SERVICE_WORM_DRIVER: s3 needs SERVICE_WORM_S3_BUCKET');
  }
  return {
    bucket,
    prefix: e.SERVICE_WORM_S3_PREFIX,
    endpoint: e.SERVICE_WORM_S3_ENDPOINT,
    region: e.SERVICE_WORM_S3_REGION,
    pathStyle: e.SERVICE_WORM_S3_PATH_STYLE,
    mode: e.SERVICE_WORM_S3_MODE,
    retainDays: e.SERVICE_WORM_S3_RETAIN_DAYS,
    gatherMs: e.SERVICE_WORM_S3_GATHER_MS,
  };
}
