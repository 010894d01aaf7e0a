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
  return pino(options, destination ?? standardOutput());
}

let output: DestinationStream | undefined;

/** The one of this process, so that lines of several loggers stay in their order. */
function standardOutput(): DestinationStream {
  output ??= writtenByTurns(pino.destination({ dest: 1, sync: true }));
  return output;
}

/**
 * Gathers the lines of one turn of the event loop and writes them together: under load a system call for each line costs
 * more than the line. Lines gathered at the end of the process, also by an exception, are written then.
 */
export function writtenByTurns(stream: DestinationStream): DestinationStream & { flushSync(): void } {
  let lines = '';
  const flushSync = (): void => {
    const gathered = lines;
    lines = '';
    if (gathered !== '') stream.write(gathered);
  };
  process.once('exit', flushSync);
  return {
    // Called by pino after a line of the level `fatal`.
    flushSync,
    write: (line) => {
      if (lines === '') setImmediate(flushSync);
      lines += line;
    },
  };
}
