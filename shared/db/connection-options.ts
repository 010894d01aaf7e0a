import { StartRefused } from '../errors/start-refused.js';

/** Acknowledged means on disk, on a majority: the only write concern of this service (evidence.md section 3). */
export const DURABLE = { w: 'majority', j: true } as const;

/** Waits this long for a server before an operation fails; the facade turns that into 503. */
const SERVER_SELECTION_TIMEOUT_MS = 5_000;
/**
 * Time in ms that a server may stay silent before an operation fails. The driver's own `timeoutMS` has no effect since
 * 7.8 (adr/0084).
 */
const OPERATION_TIMEOUT_MS = 30_000;
/** Time in ms that an operation waits for a connection of the pool. */
const QUEUE_TIMEOUT_MS = 30_000;

/** Options of every connection to the service's databases. */
export const CONNECTION_OPTIONS = {
  serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
  socketTimeoutMS: OPERATION_TIMEOUT_MS,
  waitQueueTimeoutMS: QUEUE_TIMEOUT_MS,
  writeConcern: DURABLE,
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  retryWrites: false,
  ignoreUndefined: true,
} as const;

/** Options of a connection string that weaken reads or writes unless they have this value; keys are lower case. */
const REQUIRED_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['readconcernlevel', 'majority'],
  ['readpreference', 'primary'],
  ['w', 'majority'],
  ['journal', 'true'],
  ['j', 'true'],
  ['safe', 'true'],
]);
/** Options that would remove the limit of an operation. */
const LIMITS: ReadonlySet<string> = new Set(['sockettimeoutms', 'waitqueuetimeoutms', 'wtimeoutms', 'timeoutms']);

/**
 * Rejects a connection string that weakens the durability of writes, lets reads return what may be rolled back, or
 * replaces a time limit.
 *
 * @throws StartRefused that names the option, never the credentials.
 */
export function requireFullStrength(uri: string): void {
  const [, query = ''] = uri.split('?');
  for (const [name, value] of new URLSearchParams(query)) {
    const key = name.toLowerCase();
    const required = REQUIRED_OPTIONS.get(key);
    if (required !== undefined && value.toLowerCase() !== required) {
      throw new StartRefused(
        `the connection string sets ${name}=${value}; the service needs ${name}=${required}, which is its default: remove the option`,
      );
    }
    if (LIMITS.has(key)) {
      throw new StartRefused(`the connection string sets ${name}; the service sets its own limit: remove the option`);
    }
  }
}
