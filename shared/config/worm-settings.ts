import { z } from 'zod';
import { entry, flag, integer } from './entry.js';

/** Settings of the write-once store. */
export const WORM_SETTINGS = {
  SERVICE_WORM_DRIVER: entry(
    z.enum(['mongodb', 'filesystem', 's3']),
    'mongodb',
    'Store of write-once bytes: the database, files under SERVICE_WORM_DIR, or the bucket SERVICE_WORM_S3_BUCKET; fixed at first start.',
  ),
  SERVICE_WORM_DIR: entry(
    z.string().min(1),
    null,
    'Folder of the write-once files, shared by all processes of a deployment; `worm` in SERVICE_DATA_DIR by default.',
  ),
  SERVICE_WORM_S3_BUCKET: entry(
    z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket'),
    null,
    'Bucket with object lock that holds the write-once bytes of the driver `s3`.',
  ),
  SERVICE_WORM_S3_PREFIX: entry(
    z.string().regex(/^(?:[A-Za-z0-9._-]+\/)*$/, 'folders that each end with a slash, such as eas/'),
    '',
    'Beginning of the names of all objects; empty, or ends with a slash.',
  ),
  SERVICE_WORM_S3_ENDPOINT: entry(
    z.string().refine((text) => /^https?:\/\/./.test(text) && URL.canParse(text), 'an http or https address'),
    null,
    'Address of a compatible store; the endpoint of the region by default.',
  ),
  SERVICE_WORM_S3_REGION: entry(
    z.string().regex(/^[a-z0-9-]+$/, 'a region such as us-east-1'),
    null,
    "Region of the bucket; the SDK's own configuration by default.",
  ),
  SERVICE_WORM_S3_PATH_STYLE: entry(
    flag,
    'false',
    'Put the name of the bucket into the path of the URL, as many compatible stores need it.',
  ),
  SERVICE_WORM_S3_MODE: entry(
    z.enum(['COMPLIANCE', 'GOVERNANCE']),
    'COMPLIANCE',
    'Lock of each object: no credential can lift COMPLIANCE; one with a special right can lift GOVERNANCE.',
  ),
  SERVICE_WORM_S3_RETAIN_DAYS: entry(
    integer(1, 36_500),
    '2192',
    'Days for which each object is locked, from the moment it is stored; six years by default.',
  ),
  SERVICE_WORM_S3_GATHER_MS: entry(
    integer(0, 1_000),
    '50',
    'Time for which a record waits for others that share its object; 0 stores it at once, with more requests.',
  ),
  SERVICE_WORM_ACKNOWLEDGE: entry(
    z.enum(['store', 'database']),
    'store',
    'What the answer to an event waits for: the write-once store, or the database alone, with a copy that follows. `database` needs the driver `s3`.',
  ),
  SERVICE_WORM_MAX_LAG_SECONDS: entry(
    integer(1, 50),
    '30',
    'With SERVICE_WORM_ACKNOWLEDGE=database: longest time that a copy may follow its answer; beyond it, events answer 503.',
  ),
  SERVICE_WORM_STRICT: entry(
    flag,
    'false',
    'Refuse to start without MONGODB_RETENTION_URI and MONGODB_ROTATOR_URI, or if the service may change or delete write-once data.',
  ),
  SERVICE_WORM_SEGMENT_BYTES: entry(integer(1_048_576, 1_099_511_627_776), '1073741824', 'Size of a WORM segment.'),
  SERVICE_WORM_SEGMENT_RECORDS: entry(integer(10, 1_000_000_000), '1000000', 'Most records in a WORM segment.'),
} as const;
