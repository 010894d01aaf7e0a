import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/config.js';

export type { Logger } from 'pino';

/**
 * JSON lines. Bodies, payloads, keys and member data are never handed to the logger; the redaction list is the second
 * net for what a library might attach to an error or a request.
 */
const REDACTED_NAMES = [
  'api_key',
  'authorization',
  'birth_date',
  'contact',
  'content',
  'email',
  'member_id',
  'password',
  'payload',
  'phone',
  'secret',
  'token',
];

const REDACTED_PATHS = [
  'req.headers.authorization',
  'req.headers["x-api-key"]',
  ...REDACTED_NAMES.flatMap((name) => [name, `*.${name}`]),
];

export function createLogger(level: Config['logLevel'], destination?: DestinationStream): Logger {
  const options = { level, base: null, redact: { paths: REDACTED_PATHS, censor: '[redacted]' } };
  return destination ? pino(options, destination) : pino(options);
}
