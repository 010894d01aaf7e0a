import { type Environment, parseEnvironment, type ServiceMode } from './schema.js';
import { withSecretFiles } from './secret-files.js';
import type { SubgraphUrls } from './subgraph-urls.js';

/** Limits of what a client may send (api.md section 1 "Limits"). */
export interface Limits {
  readonly envelopeBytes: number;
  readonly batchEvents: number;
  readonly batchBytes: number;
  readonly rawBytes: number;
  readonly rawJsonBytes: number;
}

export interface WormLimits {
  readonly segmentBytes: number;
  readonly segmentRecords: number;
}

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly mongodbUri: string | null;
  readonly mongodBinary: string | null;
  readonly production: boolean;
  readonly dataDir: string;
  /** `<deployment>` of every ledger origin (evidence.md section 2). */
  readonly origin: string;
  readonly adminApiKey: string | null;
  readonly masterKeyHex: string | null;
  readonly mode: ServiceMode;
  /** Null where no other process is spoken to. */
  readonly internalSecret: string | null;
  readonly subgraphUrls: SubgraphUrls;
  readonly subgraphTimeoutMs: number;
  /** For tenants without a limit of their own; 0 is none. */
  readonly rateLimitPerMinute: number;
  /** Wrong keys a minute from one address; 0 is no limit. */
  readonly failedLoginsPerMinute: number;
  /** Address blocks of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly logLevel: Environment['SERVICE_LOG_LEVEL'];
  readonly limits: Limits;
  readonly worm: WormLimits;
}

/** @throws ConfigError; see parseEnvironment. */
export function configFrom(env: Readonly<Record<string, string | undefined>>): Config {
  const e = parseEnvironment(env);
  return {
    port: e.PORT,
    host: e.HOST,
    mongodbUri: e.MONGODB_URI,
    mongodBinary: e.MONGOMS_SYSTEM_BINARY,
    production: e.NODE_ENV === 'production',
    dataDir: e.SERVICE_DATA_DIR,
    origin: e.SERVICE_ORIGIN,
    adminApiKey: e.SERVICE_ADMIN_API_KEY,
    masterKeyHex: e.SERVICE_MASTER_KEY,
    mode: e.SERVICE_MODE,
    internalSecret: e.SERVICE_INTERNAL_SECRET,
    subgraphUrls: e.SERVICE_SUBGRAPH_URLS ?? new Map(),
    subgraphTimeoutMs: e.SERVICE_SUBGRAPH_TIMEOUT_MS,
    rateLimitPerMinute: e.SERVICE_RATE_LIMIT_PER_MINUTE,
    failedLoginsPerMinute: e.SERVICE_FAILED_LOGINS_PER_MINUTE,
    trustedProxies: e.SERVICE_TRUST_PROXY ?? [],
    logLevel: e.SERVICE_LOG_LEVEL,
    limits: {
      envelopeBytes: e.SERVICE_MAX_ENVELOPE_BYTES,
      batchEvents: e.SERVICE_MAX_BATCH_EVENTS,
      batchBytes: e.SERVICE_MAX_BATCH_BYTES,
      rawBytes: e.SERVICE_MAX_RAW_BYTES,
      rawJsonBytes: e.SERVICE_MAX_RAW_JSON_BYTES,
    },
    worm: { segmentBytes: e.SERVICE_WORM_SEGMENT_BYTES, segmentRecords: e.SERVICE_WORM_SEGMENT_RECORDS },
  };
}

/** The only place that reads the process's environment. */
export const configFromProcess = (): Config => configFrom(withSecretFiles(process.env));
