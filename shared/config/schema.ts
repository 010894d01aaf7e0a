import { z } from 'zod';
import { isCidr } from '../auth/cidr.js';
import { SUBGRAPH_NAMES } from '../graph/subgraph-names.js';
import { subgraphUrls } from './subgraph-urls.js';

// Every environment variable the service reads, in one table: parsed once, documented from here (README's table is
// printed by `npm run docs:config`), and a SERVICE_* name that is not in it stops the start.

const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');
const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `between ${min} and ${max}`);

/** `default` is the text as it would stand in the environment; null means the variable may be absent. */
export interface ConfigEntry {
  readonly schema: z.ZodType<unknown, string>;
  readonly default: string | null;
  readonly meaning: string;
  /** May also be given as `<NAME>_FILE`, the path of a file that holds it. */
  readonly secret?: true;
}

const entry = <T extends z.ZodType<unknown, string>, D extends string | null>(
  schema: T,
  fallback: D,
  meaning: string,
) => ({
  schema,
  default: fallback,
  meaning,
});

const secret = <E extends ConfigEntry>(plain: E) => ({ ...plain, secret: true as const });

export const SERVICE_MODES = ['all', 'facade', 'gateway', 'worker', ...SUBGRAPH_NAMES] as const;
export type ServiceMode = (typeof SERVICE_MODES)[number];

export const CONFIG_TABLE = {
  PORT: entry(integer(0, 65_535), '8080', 'Port to listen on; 0 takes any free one.'),
  HOST: entry(z.string().min(1), '127.0.0.1', 'Address to listen on.'),
  MONGODB_URI: secret(
    entry(z.string().regex(/^mongodb(\+srv)?:\/\//), null, 'MongoDB to use instead of the embedded database.'),
  ),
  MONGOMS_SYSTEM_BINARY: entry(z.string().min(1), null, 'Path of a mongod to run when MONGODB_URI is not set.'),
  NODE_ENV: entry(z.enum(['production', 'development', 'test']), 'development', 'In production secrets must be given.'),
  SERVICE_DATA_DIR: entry(z.string().min(1), './.data', 'Folder of the embedded database and of kept secrets.'),
  SERVICE_ORIGIN: entry(
    z.string().regex(/^[a-z0-9][a-z0-9.-]{0,252}$/, 'a host name in lower case'),
    'eas.localhost',
    'Name of this deployment in every chain and checkpoint; fixed at first start.',
  ),
  SERVICE_ADMIN_API_KEY: secret(
    entry(z.string().min(32), null, 'First operator key; made and printed once if absent.'),
  ),
  SERVICE_MASTER_KEY: secret(
    entry(
      z.string().regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits'),
      null,
      'Wraps secrets at rest; made and kept in the data folder if absent, required in production.',
    ),
  ),
  SERVICE_CONTENT_SCAN_INLINE: entry(flag, 'false', 'Scan documents before the upload is answered.'),
  SERVICE_RATE_LIMIT_PER_MINUTE: entry(
    integer(0, 10_000_000),
    '6000',
    'Requests a minute a tenant; 0 switches it off.',
  ),
  SERVICE_FAILED_LOGINS_PER_MINUTE: entry(
    integer(0, 10_000_000),
    '600',
    'Wrong API keys a minute from one address; 0 switches it off.',
  ),
  SERVICE_MODE: entry(
    z.enum(SERVICE_MODES),
    'all',
    'The role of this process: everything, or `facade`, `gateway`, `worker`, or the name of one subgraph.',
  ),
  SERVICE_INTERNAL_SECRET: secret(
    entry(
      z.string().min(32),
      null,
      'Signs what processes say to each other; the same in all of them, required in every role but `all`.',
    ),
  ),
  SERVICE_SUBGRAPH_URLS: entry(
    subgraphUrls,
    null,
    'Where subgraphs of other processes are: `ledger=http://ledger:8080,admin=http://admin:8080`; a name may repeat.',
  ),
  SERVICE_SUBGRAPH_TIMEOUT_MS: entry(
    integer(100, 3_600_000),
    '60000',
    'Longest silence of a subgraph in another process before the call is given up.',
  ),
  SERVICE_TRUST_PROXY: entry(
    z
      .string()
      .transform((text) => text.split(',').map((block) => block.trim()))
      .refine((blocks) => blocks.every(isCidr), 'address blocks such as 10.0.0.0/8, separated by commas'),
    null,
    'Proxies (address blocks) that are believed when they name the caller in X-Forwarded-For; nobody is unless told.',
  ),
  SERVICE_LOG_LEVEL: entry(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    'info',
    'Least level logged.',
  ),
  SERVICE_MAX_ENVELOPE_BYTES: entry(integer(1024, 1_048_576), '262144', 'Largest event envelope.'),
  SERVICE_MAX_BATCH_EVENTS: entry(integer(1, 10_000), '1000', 'Most envelopes in one batch.'),
  SERVICE_MAX_BATCH_BYTES: entry(integer(1024, 268_435_456), '16777216', 'Largest body of a batch.'),
  SERVICE_MAX_RAW_BYTES: entry(integer(1024, 17_179_869_184), '1073741824', 'Largest raw message.'),
  SERVICE_MAX_RAW_JSON_BYTES: entry(integer(1024, 268_435_456), '33554432', 'Largest raw message in the JSON wrapper.'),
  SERVICE_WORM_SEGMENT_BYTES: entry(integer(1_048_576, 1_099_511_627_776), '1073741824', 'Size of a WORM segment.'),
  SERVICE_WORM_SEGMENT_RECORDS: entry(integer(10, 1_000_000_000), '1000000', 'Most records in a WORM segment.'),
} as const satisfies Record<string, ConfigEntry>;

export type ConfigName = keyof typeof CONFIG_TABLE;
type Parsed<E extends ConfigEntry> = E['default'] extends string ? z.output<E['schema']> : z.output<E['schema']> | null;
export type Environment = { readonly [N in ConfigName]: Parsed<(typeof CONFIG_TABLE)[N]> };

export class ConfigError extends Error {}

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
  return parsed as Environment;
}
