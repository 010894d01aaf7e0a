import { z } from 'zod';
import { isCidr } from '../auth/cidr.js';
import { SUBGRAPH_NAMES } from '../graph/subgraph-names.js';
import { clamavAddress, pemCertificates, portRange, subgraphUrls, witnessList } from './compound-values.js';
import { type ConfigEntry, ConfigError, entry, flag, integer, secret, type ValuesOf } from './entry.js';
import { OIDC_TABLE } from './oidc.js';
import { OTLP_TABLE } from './otlp.js';
import { WORM_SETTINGS } from './worm-settings.js';

// Every environment variable the service reads, in one table: parsed once, documented from here (README's table is
// printed by `npm run docs:config`), and a SERVICE_* name that is not in it stops the start.

const SERVICE_MODES = ['all', 'facade', 'gateway', 'worker', 'signer', ...SUBGRAPH_NAMES] as const;
export type ServiceMode = (typeof SERVICE_MODES)[number];

export const CONFIG_TABLE = {
  PORT: entry(integer(0, 65_535), '8080', 'Port to listen on; 0 takes any free one.'),
  HOST: entry(z.string().min(1), '127.0.0.1', 'Address to listen on.'),
  MONGODB_URI: secret(
    entry(z.string().regex(/^mongodb(\+srv)?:\/\//), null, 'MongoDB to use instead of the embedded database.'),
  ),
  MONGODB_RETENTION_URI: secret(
    entry(
      z.string().regex(/^mongodb(\+srv)?:\/\//),
      null,
      'The same MongoDB, with the credential that may delete disposed content; MONGODB_URI by default.',
    ),
  ),
  MONGODB_ROTATOR_URI: secret(
    entry(
      z.string().regex(/^mongodb(\+srv)?:\/\//),
      null,
      'The same MongoDB, with the credential that opens and seals write-once segments; MONGODB_URI by default.',
    ),
  ),
  MONGOMS_SYSTEM_BINARY: entry(z.string().min(1), null, 'Path of a mongod to run when MONGODB_URI is not set.'),
  NODE_ENV: entry(z.enum(['production', 'development', 'test']), 'development', 'Production requires all secrets.'),
  SERVICE_DATA_DIR: entry(z.string().min(1), './.data', 'Folder of the embedded database and of generated secrets.'),
  SERVICE_ORIGIN: entry(
    z.string().regex(/^[a-z0-9][a-z0-9.-]{0,252}$/, 'a host name in lower case'),
    'eas.localhost',
    'Name of this deployment in every chain and checkpoint; fixed at first start.',
  ),
  SERVICE_ADMIN_API_KEY: secret(
    entry(z.string().min(32), null, 'First operator key; generated and printed once by default.'),
  ),
  ...OIDC_TABLE,
  ...OTLP_TABLE,
  SERVICE_MASTER_KEY: secret(
    entry(
      z.string().regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits'),
      null,
      "Encrypts secrets at rest; generated in the signer's folder by default, required in production.",
    ),
  ),
  SERVICE_SIGNER_DIR: entry(
    z.string().min(1),
    null,
    'Folder of the signer, with all private keys; the data folder with `-signer` after its name by default.',
  ),
  SERVICE_ENCRYPT_AT_REST: entry(flag, 'true', 'Encrypt the files of a new embedded database.'),
  SERVICE_DATA_KEYS_FILE: entry(
    z.string().min(1),
    null,
    "File of the data keys of an encrypted embedded database; `data-keys.json` in the signer's folder by default.",
  ),
  SERVICE_CONTENT_KEYS_FILE: entry(
    z.string().min(1),
    null,
    "File of the keys that wrap the keys of write-once contents and records; `content-keys.json` in the signer's folder by default. With MONGODB_URI only this setting turns their encryption on; all processes share the file.",
  ),
  SERVICE_SIGNER_SOCKET: entry(
    z.string().min(1),
    null,
    "Socket for services that run as other users of the signer's group, in a folder of theirs; by default in the signer's folder.",
  ),
  SERVICE_SIGNER_START: entry(
    z.enum(['auto', 'never']),
    'auto',
    'Who starts the signer: `auto`, this process if none runs; `never`, another one (SERVICE_MODE=signer).',
  ),
  SERVICE_CONTENT_SCAN_INLINE: entry(flag, 'false', 'Scan documents before the upload is acknowledged.'),
  SERVICE_CLAMAV_HOST: entry(
    clamavAddress,
    null,
    'ClamAV daemon that scans documents too, `host` or `host:port` (3310). Documents are quarantined while it does not answer.',
  ),
  SERVICE_CLAMAV_TIMEOUT_MS: entry(integer(100, 3_600_000), '120000', 'Time limit for an answer of the ClamAV daemon.'),
  SERVICE_REDACTION_TWO_PEOPLE: entry(flag, 'true', 'True requires a second person to apply a redaction.'),
  SERVICE_MAX_REDACTED_BYTES: entry(
    integer(1_024, 1_073_741_824),
    '67108864',
    'Largest document that can be redacted; it is held in memory.',
  ),
  SERVICE_DOCUMENT_WORK_MS: entry(
    integer(100, 3_600_000),
    '120000',
    'Time limit for reading or redacting one document.',
  ),
  SERVICE_DOCUMENT_WORK_MB: entry(
    integer(64, 8_192),
    '512',
    'Memory of the process that reads or redacts a document, in MiB.',
  ),
  SERVICE_MAX_TEXT_BYTES: entry(
    integer(1_024, 1_073_741_824),
    '33554432',
    'Largest document that is indexed for the search.',
  ),
  SERVICE_RATE_LIMIT_PER_MINUTE: entry(
    integer(0, 10_000_000),
    '6000',
    'Requests per minute and tenant; 0 disables the limit.',
  ),
  SERVICE_FAILED_LOGINS_PER_MINUTE: entry(
    integer(0, 10_000_000),
    '600',
    'Wrong API keys per minute and address; 0 disables the limit.',
  ),
  SERVICE_MODE: entry(
    z.enum(SERVICE_MODES),
    'all',
    'Role of this process: `all`, `facade`, `gateway`, `worker`, `signer` or the name of a subgraph.',
  ),
  SERVICE_INTERNAL_SECRET: secret(
    entry(
      z.string().min(32),
      null,
      'Signs requests between processes; the same in all processes, required in every role but `all`.',
    ),
  ),
  SERVICE_SUBGRAPH_URLS: entry(
    subgraphUrls,
    null,
    'URLs of subgraphs in other processes: `ledger=http://ledger:8080,admin=http://admin:8080`; a name may repeat.',
  ),
  SERVICE_SUBGRAPH_TIMEOUT_MS: entry(
    integer(100, 3_600_000),
    '60000',
    'Time limit for an answer of a subgraph in another process.',
  ),
  SERVICE_TRUST_PROXY: entry(
    z
      .string()
      .transform((text) => text.split(',').map((block) => block.trim()))
      .refine((blocks) => blocks.every(isCidr), 'address blocks such as 10.0.0.0/8, separated by commas'),
    null,
    'Address blocks of proxies with a trusted X-Forwarded-For header; none by default.',
  ),
  SERVICE_WEBHOOK_ALLOW_HTTP: entry(flag, 'false', 'Allow `http://` receivers of webhooks.'),
  SERVICE_WEBHOOK_ALLOW_CIDRS: entry(
    z
      .string()
      .transform((text) => text.split(',').map((block) => block.trim()))
      .refine((blocks) => blocks.every(isCidr), 'address blocks such as 10.0.0.0/8, separated by commas'),
    null,
    'Private address blocks that receivers of webhooks may have, on any port (public ones: 443 only); none by default.',
  ),
  SERVICE_TSA_URL: entry(
    z.string().refine((text) => /^https?:\/\/./.test(text) && URL.canParse(text), 'an http or https address'),
    null,
    'Time-stamp authority (RFC 3161) for the signatures of sealed bundles and, once a day, for checkpoints; none by default.',
  ),
  SERVICE_TSA_ALLOW_HTTP: entry(flag, 'false', 'Allow an `http://` time-stamp authority; its answers are signed.'),
  SERVICE_TSA_CA: secret(
    entry(
      pemCertificates,
      null,
      'Root certificates (PEM) of time-stamp authorities: a stamp under one of them anchors a ledger. Not a secret, but best given as a file.',
    ),
  ),
  SERVICE_TSA_ALLOW_CIDRS: entry(
    z
      .string()
      .transform((text) => text.split(',').map((block) => block.trim()))
      .refine((blocks) => blocks.every(isCidr), 'address blocks such as 10.0.0.0/8, separated by commas'),
    null,
    'Private address blocks that the time-stamp authority may have; none by default.',
  ),
  SERVICE_DROP_DIR: entry(
    z.string().min(1),
    null,
    'Folder of the drop folders, `<tenant>/<folder>/` below it; drop folders are disabled by default.',
  ),
  SERVICE_MLLP_HOST: entry(z.string().min(1), '127.0.0.1', 'Address that HL7 v2 connectors listen on.'),
  SERVICE_MLLP_PORTS: entry(
    portRange,
    '2575-2674',
    'Ports that HL7 v2 connectors may listen on, as `2575-2674`; 0 takes any free one.',
  ),
  SERVICE_CONNECTOR_ALLOW_HTTP: entry(flag, 'false', 'Allow connectors to poll `http://` servers.'),
  SERVICE_CONNECTOR_ALLOW_CIDRS: entry(
    z
      .string()
      .transform((text) => text.split(',').map((block) => block.trim()))
      .refine((blocks) => blocks.every(isCidr), 'address blocks such as 10.0.0.0/8, separated by commas'),
    null,
    'Private address blocks that polled servers may have; none by default.',
  ),
  SERVICE_CONNECTORS_PER_TENANT: entry(integer(0, 10_000), '50', 'Connectors that a tenant may have.'),
  SERVICE_NOTIFIER: entry(
    z.enum(['log', 'webhook', 'smtp']),
    'log',
    'How one-time codes reach members: `webhook` and `smtp` send them, `log` writes them to the log, without the code in production.',
  ),
  SERVICE_NOTIFIER_URL: entry(
    z.string().refine((text) => /^https?:\/\/./.test(text) && URL.canParse(text), 'an http or https address'),
    null,
    'URL that `webhook` posts one-time codes to.',
  ),
  SERVICE_NOTIFIER_SECRET: secret(
    entry(z.string().min(32), null, 'Secret that signs the posts of `webhook`, like deliveries to webhooks.'),
  ),
  SERVICE_NOTIFIER_ALLOW_HTTP: entry(flag, 'false', 'Allow `webhook` to post to an `http://` address.'),
  SERVICE_NOTIFIER_ALLOW_CIDRS: entry(
    z
      .string()
      .transform((text) => text.split(',').map((block) => block.trim()))
      .refine((blocks) => blocks.every(isCidr), 'address blocks such as 10.0.0.0/8, separated by commas'),
    null,
    'Private address blocks that the receiver of one-time codes may have; none by default.',
  ),
  SERVICE_SMTP_URL: secret(
    entry(
      z.string().refine((text) => /^smtps?:\/\/./.test(text) && URL.canParse(text), 'an smtp or smtps address'),
      null,
      'Mail server of `smtp`: `smtps://user:password@mail.example:465`, or `smtp://…:587`, which must offer STARTTLS.',
    ),
  ),
  SERVICE_SMTP_ALLOW_PLAIN: entry(flag, 'false', 'Allow a mail server without TLS: one on the same machine.'),
  SERVICE_SMTP_FROM: entry(
    z.string().regex(/^[^\s@<>]+@[^\s@<>]+$/, 'a mail address'),
    null,
    'Sender of the mails of `smtp`.',
  ),
  SERVICE_CODE_IN_RESPONSE: entry(
    flag,
    'false',
    'Return one-time codes in the answer, for tests of integrators; rejected in production.',
  ),
  SERVICE_CODES_PER_MEMBER_PER_HOUR: entry(integer(1, 1_000), '5', 'Limit of one-time codes per member and hour.'),
  SERVICE_CODES_PER_ADDRESS_PER_HOUR: entry(
    integer(1, 1_000_000),
    '300',
    'Limit of one-time codes per address and hour.',
  ),
  SERVICE_REMITTANCE_GRACE_HOURS: entry(
    integer(0, 8_760),
    '24',
    'Time after which a remittance without its claim, or a payment without its authorization, opens an exception.',
  ),
  ...WORM_SETTINGS,
  SERVICE_RETENTION_MINIMUM_YEARS: entry(
    integer(1, 100),
    '6',
    'Shortest retention policy; HIPAA requires six years (45 CFR 164.316(b)(2)).',
  ),
  SERVICE_LOG_LEVEL: entry(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    'info',
    'Lowest level that is logged.',
  ),
  SERVICE_MAX_ENVELOPE_BYTES: entry(integer(1024, 1_048_576), '262144', 'Largest event envelope.'),
  SERVICE_MAX_BATCH_EVENTS: entry(integer(1, 10_000), '1000', 'Most envelopes in one batch.'),
  SERVICE_MAX_BATCH_BYTES: entry(integer(1024, 268_435_456), '16777216', 'Largest body of a batch.'),
  SERVICE_MAX_RAW_BYTES: entry(integer(1024, 17_179_869_184), '1073741824', 'Largest raw message.'),
  SERVICE_MAX_DOCUMENT_BYTES: entry(integer(1024, 17_179_869_184), '1073741824', 'Largest document.'),
  SERVICE_MAX_RAW_JSON_BYTES: entry(integer(1024, 268_435_456), '33554432', 'Largest raw message in the JSON wrapper.'),
  SERVICE_MAX_BUNDLE_EVENTS: entry(integer(1, 1_000_000), '1000000', 'Most events in one bundle.'),
  SERVICE_BUNDLE_LEASE_MS: entry(
    integer(1_000, 600_000),
    '30000',
    'Time until another worker takes over the build of a bundle from a dead worker.',
  ),
  SERVICE_SPOOL_DIR: entry(
    z.string().min(1),
    null,
    "Folder of the temporary files of bundle builds. Default: the system's folder for temporary files.",
  ),
  SERVICE_MATCH_PROBABLE: entry(integer(1, 100), '14', 'Score in bits from which a match is PROBABLE.'),
  SERVICE_MATCH_POSSIBLE: entry(
    integer(1, 100),
    '6',
    'Score in bits from which a match is POSSIBLE; a lower score is no match.',
  ),
  SERVICE_CHECKPOINT_DIR: entry(
    z.string().min(1),
    null,
    'Folder that every published checkpoint is written to, preferably on another disk than the database; with `all`, the data folder with `-checkpoints` after its name by default.',
  ),
  SERVICE_STATE_MAP: entry(
    z.enum(['on', 'off']),
    'on',
    'Whether checkpoints carry the state map. `off` is for measurements: bundles then cannot prove that nothing is missing.',
  ),
  SERVICE_WITNESSES: entry(
    witnessList,
    null,
    'Witnesses that cosign checkpoints: `https://witness.example witness.example+3ac8+…`, separated by commas.',
  ),
  SERVICE_WITNESS_QUORUM: entry(
    integer(0, 100),
    '0',
    'Number of witnesses that must cosign; a checkpoint with fewer is published and reported as short.',
  ),
} as const satisfies Record<string, ConfigEntry>;

export type Environment = ValuesOf<typeof CONFIG_TABLE>;

/** @throws ConfigError listing every wrong or unknown variable; values are not repeated, they may be secrets. */
export function parseEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const faults: string[] = [];
  const parsed: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries<ConfigEntry>(CONFIG_TABLE)) {
    const text = env[name] === undefined || env[name] === '' ? definition.default : env[name];
    if (text === null) {
      parsed[name] = null;
      continue;
    }
    const result = definition.schema.safeParse(text);
    if (result.success) parsed[name] = result.data;
    else faults.push(`${name}: ${result.error.issues.map((issue) => issue.message).join(', ')}`);
  }
  for (const name of Object.keys(env)) {
    if (name.startsWith('SERVICE_') && !Object.hasOwn(CONFIG_TABLE, name)) faults.push(`${name}: not a known setting`);
  }
  if (faults.length > 0) throw new ConfigError(`Configuration refused:\n  ${faults.join('\n  ')}`);
  // Every entry of the table was parsed by its schema.
  return parsed as Environment;
}
