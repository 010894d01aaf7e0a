import type { X509Certificate } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { ClamavAddress, PortRange, SubgraphUrls, WitnessSetting } from './compound-values.js';
import { ConfigError } from './entry.js';
import { type OidcSettings, oidcFrom } from './oidc.js';
import { type OtlpSettings, otlpFrom } from './otlp.js';
import { type Environment, parseEnvironment, type ServiceMode } from './schema.js';
import { withSecretFiles } from './secret-files.js';
import { type WormAcknowledge, wormAcknowledgeFrom } from './worm-acknowledge.js';
import { type WormBucket, wormBucketFrom } from './worm-bucket.js';

/** Limits of what a client may send (api.md section 1 "Limits"). */
export interface Limits {
  readonly envelopeBytes: number;
  readonly batchEvents: number;
  readonly batchBytes: number;
  readonly rawBytes: number;
  readonly rawJsonBytes: number;
  readonly documentBytes: number;
}

export interface WormLimits {
  readonly segmentBytes: number;
  readonly segmentRecords: number;
}

/** Private addresses that receivers of webhooks may have. */
interface WebhookTargets {
  readonly allowHttp: boolean;
  readonly allowedCidrs: readonly string[];
}

/** What connectors may have. */
interface ConnectorSettings {
  /** Null where there are no drop folders. */
  readonly dropDir: string | null;
  readonly mllpHost: string;
  /** 0 to 0 is any. */
  readonly mllpPorts: PortRange;
  /** Private addresses that pollers may ask. */
  readonly targets: WebhookTargets;
  readonly perTenant: number;
}

/** Who stamps the signatures of bundles. */
interface TimestampSettings {
  readonly url: string | null;
  /** Roots of authorities; their stamps anchor a ledger. */
  readonly roots: readonly X509Certificate[];
  readonly targets: WebhookTargets;
}

/** How one-time codes reach members, and how many may be asked for. */
interface NotifierSettings {
  readonly kind: Environment['SERVICE_NOTIFIER'];
  readonly webhook: { readonly url: string; readonly secret: string; readonly targets: WebhookTargets } | null;
  readonly smtp: { readonly url: string; readonly from: string; readonly allowPlain: boolean } | null;
  readonly codeInResponse: boolean;
  readonly perMemberPerHour: number;
  readonly perAddressPerHour: number;
}

/** How events are joined. */
interface LinkingSettings {
  /** A remittance may come so long before its claim. */
  readonly remittanceGraceHours: number;
}

/** How documents are read and redacted. */
interface DocumentWorkSettings {
  readonly needsTwoPeople: boolean;
  readonly maxDocumentBytes: number;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly maxTextBytes: number;
}

/** How documents are scanned. */
interface ScanSettings {
  /** Before the upload is answered, and not by a job. */
  readonly inline: boolean;
  /** Null where there is no ClamAV daemon. */
  readonly clamav: ClamavAddress | null;
  readonly clamavTimeoutMs: number;
}

/** How bundles are built. */
interface BundleSettings {
  readonly maxEvents: number;
  readonly leaseMs: number;
  /** Null: the system's folder for temporary files. */
  readonly spoolDir: string | null;
}

/** From which score on a record is of a member, in bits. */
interface MatchingSettings {
  readonly probable: number;
  readonly possible: number;
}

/** How long things are kept at least. */
interface RetentionSettings {
  readonly minimumYears: number;
}

/** Folder for copies of published checkpoints. */
interface CheckpointSettings {
  readonly dir: string | null;
  readonly witnesses: readonly WitnessSetting[];
  readonly quorum: number;
  /** Checkpoints carry the state map. */
  readonly maps: boolean;
}

/** Where the signer's folder is, and who starts its process. */
interface SignerSettings {
  readonly dir: string;
  /** Where the signer also listens, for services of other users; null for its folder alone. */
  readonly socket: string | null;
  /** False: a signer is started by others, and this process only joins it. */
  readonly start: boolean;
}

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly mongodbUri: string | null;
  /** Null where the service's own credential takes disposed content away. */
  readonly retentionUri: string | null;
  readonly rotatorUri: string | null;
  readonly mongodBinary: string | null;
  readonly production: boolean;
  readonly dataDir: string;
  /** `<deployment>` of every ledger origin (evidence.md section 2). */
  readonly origin: string;
  readonly adminApiKey: string | null;
  readonly masterKeyHex: string | null;
  /** File of the keys of the embedded database. */
  readonly dataKeysFile: string;
  /** File of the keys that wrap the keys of write-once contents. */
  readonly contentKeysFile: string;
  /** True if the setting names that file: an external database uses no other. */
  readonly isContentKeysFileGiven: boolean;
  /** Whether a new embedded database is encrypted. */
  readonly isEncryptedAtRest: boolean;
  readonly signer: SignerSettings;
  readonly mode: ServiceMode;
  /** Null where no other process is spoken to. */
  readonly internalSecret: string | null;
  readonly subgraphUrls: SubgraphUrls;
  readonly subgraphTimeoutMs: number;
  /** Limit for tenants that have none of their own; 0 disables it. */
  readonly rateLimitPerMinute: number;
  /** Wrong keys a minute from one address; 0 is no limit. */
  readonly failedLoginsPerMinute: number;
  /** Address blocks of proxies with a trusted X-Forwarded-For header. */
  readonly trustedProxies: readonly string[];
  readonly logLevel: Environment['SERVICE_LOG_LEVEL'];
  readonly limits: Limits;
  readonly worm: WormLimits;
  /** Of the write-once files; null where their bytes lie elsewhere. */
  readonly wormFolder: string | null;
  /** Of the write-once objects; null where the bytes lie elsewhere. */
  readonly wormBucket: WormBucket | null;
  /** The start is refused where the write-once discipline is the service's own alone. */
  readonly wormStrict: boolean;
  readonly wormAcknowledge: WormAcknowledge;
  readonly checkpoints: CheckpointSettings;
  readonly webhooks: WebhookTargets;
  readonly timestamps: TimestampSettings;
  readonly linking: LinkingSettings;
  readonly notifier: NotifierSettings;
  readonly retention: RetentionSettings;
  readonly bundles: BundleSettings;
  readonly matching: MatchingSettings;
  readonly scan: ScanSettings;
  readonly redaction: DocumentWorkSettings;
  readonly connectors: ConnectorSettings;
  /** Null where API keys alone sign in. */
  readonly oidc: OidcSettings | null;
  /** Null where no traces and metrics are sent. */
  readonly otlp: OtlpSettings | null;
}

/** @throws ConfigError; see parseEnvironment. */
export function configFrom(env: Readonly<Record<string, string | undefined>>): Config {
  const e = parseEnvironment(env);
  if (e.SERVICE_WITNESS_QUORUM > (e.SERVICE_WITNESSES ?? []).length) {
    throw new ConfigError('Configuration refused:\n  SERVICE_WITNESS_QUORUM: more than there are in SERVICE_WITNESSES');
  }
  if (e.SERVICE_TSA_URL?.startsWith('http:') && !e.SERVICE_TSA_ALLOW_HTTP) {
    throw new ConfigError('Configuration refused:\n  SERVICE_TSA_URL: an http address needs SERVICE_TSA_ALLOW_HTTP');
  }
  if (e.SERVICE_WORM_DIR !== null && e.SERVICE_WORM_DRIVER !== 'filesystem') {
    throw new ConfigError('Configuration refused:\n  SERVICE_WORM_DIR: needs SERVICE_WORM_DRIVER=filesystem');
  }
  return {
    port: e.PORT,
    host: e.HOST,
    mongodbUri: e.MONGODB_URI,
    retentionUri: e.MONGODB_RETENTION_URI,
    rotatorUri: e.MONGODB_ROTATOR_URI,
    mongodBinary: e.MONGOMS_SYSTEM_BINARY,
    production: e.NODE_ENV === 'production',
    dataDir: e.SERVICE_DATA_DIR,
    origin: e.SERVICE_ORIGIN,
    adminApiKey: e.SERVICE_ADMIN_API_KEY,
    masterKeyHex: e.SERVICE_MASTER_KEY,
    dataKeysFile: e.SERVICE_DATA_KEYS_FILE ?? join(signerDirOf(e), 'data-keys.json'),
    contentKeysFile: e.SERVICE_CONTENT_KEYS_FILE ?? join(signerDirOf(e), 'content-keys.json'),
    isContentKeysFileGiven: e.SERVICE_CONTENT_KEYS_FILE !== null,
    isEncryptedAtRest: e.SERVICE_ENCRYPT_AT_REST,
    signer: {
      dir: signerDirOf(e),
      socket: e.SERVICE_SIGNER_SOCKET,
      start: e.SERVICE_SIGNER_START === 'auto',
    },
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
      documentBytes: e.SERVICE_MAX_DOCUMENT_BYTES,
    },
    checkpoints: {
      dir: e.SERVICE_CHECKPOINT_DIR,
      witnesses: e.SERVICE_WITNESSES ?? [],
      quorum: e.SERVICE_WITNESS_QUORUM,
      maps: e.SERVICE_STATE_MAP === 'on',
    },
    bundles: {
      maxEvents: e.SERVICE_MAX_BUNDLE_EVENTS,
      leaseMs: e.SERVICE_BUNDLE_LEASE_MS,
      spoolDir: e.SERVICE_SPOOL_DIR,
    },
    matching: { probable: e.SERVICE_MATCH_PROBABLE, possible: e.SERVICE_MATCH_POSSIBLE },
    wormStrict: e.SERVICE_WORM_STRICT,
    wormAcknowledge: wormAcknowledgeFrom(e),
    wormFolder:
      e.SERVICE_WORM_DRIVER === 'filesystem' ? (e.SERVICE_WORM_DIR ?? join(e.SERVICE_DATA_DIR, 'worm')) : null,
    wormBucket: wormBucketFrom(e),
    worm: { segmentBytes: e.SERVICE_WORM_SEGMENT_BYTES, segmentRecords: e.SERVICE_WORM_SEGMENT_RECORDS },
    webhooks: { allowHttp: e.SERVICE_WEBHOOK_ALLOW_HTTP, allowedCidrs: e.SERVICE_WEBHOOK_ALLOW_CIDRS ?? [] },
    redaction: {
      needsTwoPeople: e.SERVICE_REDACTION_TWO_PEOPLE,
      maxDocumentBytes: e.SERVICE_MAX_REDACTED_BYTES,
      timeoutMs: e.SERVICE_DOCUMENT_WORK_MS,
      memoryMb: e.SERVICE_DOCUMENT_WORK_MB,
      maxTextBytes: e.SERVICE_MAX_TEXT_BYTES,
    },
    scan: {
      inline: e.SERVICE_CONTENT_SCAN_INLINE,
      clamav: e.SERVICE_CLAMAV_HOST,
      clamavTimeoutMs: e.SERVICE_CLAMAV_TIMEOUT_MS,
    },
    retention: { minimumYears: e.SERVICE_RETENTION_MINIMUM_YEARS },
    timestamps: {
      url: e.SERVICE_TSA_URL,
      roots: e.SERVICE_TSA_CA ?? [],
      targets: { allowHttp: e.SERVICE_TSA_ALLOW_HTTP, allowedCidrs: e.SERVICE_TSA_ALLOW_CIDRS ?? [] },
    },
    notifier: notifierFrom(e),
    linking: { remittanceGraceHours: e.SERVICE_REMITTANCE_GRACE_HOURS },
    connectors: {
      dropDir: e.SERVICE_DROP_DIR,
      mllpHost: e.SERVICE_MLLP_HOST,
      mllpPorts: e.SERVICE_MLLP_PORTS,
      targets: { allowHttp: e.SERVICE_CONNECTOR_ALLOW_HTTP, allowedCidrs: e.SERVICE_CONNECTOR_ALLOW_CIDRS ?? [] },
      perTenant: e.SERVICE_CONNECTORS_PER_TENANT,
    },
    oidc: oidcFrom(e),
    otlp: otlpFrom(e),
  };
}

/** @throws ConfigError where the way that is chosen lacks what it needs. */
function notifierFrom(e: Environment): NotifierSettings {
  const { SERVICE_NOTIFIER: kind, SERVICE_NOTIFIER_URL: url, SERVICE_NOTIFIER_SECRET: signing } = e;
  const refuse = (fault: string): never => {
    throw new ConfigError(`Configuration refused:\n  ${fault}`);
  };
  if (kind === 'webhook' && (url === null || signing === null)) {
    refuse('SERVICE_NOTIFIER: webhook needs SERVICE_NOTIFIER_URL and SERVICE_NOTIFIER_SECRET');
  }
  if (kind === 'smtp' && (e.SERVICE_SMTP_URL === null || e.SERVICE_SMTP_FROM === null)) {
    refuse('SERVICE_NOTIFIER: smtp needs SERVICE_SMTP_URL and SERVICE_SMTP_FROM');
  }
  if (url?.startsWith('http:') && !e.SERVICE_NOTIFIER_ALLOW_HTTP) {
    refuse('SERVICE_NOTIFIER_URL: an http address needs SERVICE_NOTIFIER_ALLOW_HTTP');
  }
  if (e.SERVICE_CODE_IN_RESPONSE && e.NODE_ENV === 'production') {
    refuse('SERVICE_CODE_IN_RESPONSE: a code that comes back to who asks for it proves nothing; not in production');
  }
  const targets = { allowHttp: e.SERVICE_NOTIFIER_ALLOW_HTTP, allowedCidrs: e.SERVICE_NOTIFIER_ALLOW_CIDRS ?? [] };
  const { SERVICE_SMTP_URL: smtpUrl, SERVICE_SMTP_FROM: from } = e;
  return {
    kind,
    webhook: url === null || signing === null ? null : { url, secret: signing, targets },
    smtp: smtpUrl === null || from === null ? null : { url: smtpUrl, from, allowPlain: e.SERVICE_SMTP_ALLOW_PLAIN },
    codeInResponse: e.SERVICE_CODE_IN_RESPONSE,
    perMemberPerHour: e.SERVICE_CODES_PER_MEMBER_PER_HOUR,
    perAddressPerHour: e.SERVICE_CODES_PER_ADDRESS_PER_HOUR,
  };
}

const signerDirOf = (e: { readonly SERVICE_SIGNER_DIR: string | null; readonly SERVICE_DATA_DIR: string }): string =>
  e.SERVICE_SIGNER_DIR ?? `${resolve(e.SERVICE_DATA_DIR)}-signer`;

/** The only place that reads the process's environment. */
export function configFromProcess(): Config {
  const config = configFrom(withSecretFiles(process.env));
  const { mode, dataDir, checkpoints } = config;
  // A process of one role writes no folder that it was not given.
  if (checkpoints.dir !== null || mode !== 'all') return config;
  return { ...config, checkpoints: { ...checkpoints, dir: `${resolve(dataDir)}-checkpoints` } };
}
