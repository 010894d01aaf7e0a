import { hash } from 'node:crypto';
import type { Clock } from '../clock/clock.js';
import type { Randomness } from '../ids/ids.js';
import type { Outcome, QueueSpec, WorkRow } from '../jobs/work-queue.js';
import { describeUnexpected } from '../telemetry/describe-error.js';
import type { Logger } from '../telemetry/logger.js';
import type { StampFields } from './stamp-row.js';
import { readTimestamp, TimestampFault, type TimestampToken, timestampRequest } from './time-stamp.js';

/** Sends a query to a time-stamp authority. Returns the raw reply, or the reason for having none. */
export type AskAuthority = (
  query: Uint8Array,
  signal: AbortSignal,
) => Promise<{ readonly reply: Buffer } | { readonly failure: string }>;

export interface StampDeps {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  /** Null if no authority is configured any more: pending work waits. */
  readonly askAuthority: AskAuthority | null;
}

/** A row of pending work; the collection's other members are the domain's. */
type StampRow = WorkRow & Pick<StampFields, 'attempts'>;

interface StampQueue<Row extends StampRow> {
  readonly name: string;
  readonly description: string;
  readonly collection: string;
  /** The content to stamp. */
  readonly contentOf: (row: Row) => Promise<Buffer>;
}

const CONCURRENCY = 2;
const NONCE_BYTES = 16;
const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 3_600_000;
/** About four weeks. */
const MAX_ATTEMPTS = 700;
/** How far the authority's clock may be from ours while it answers. */
const MAX_SKEW_MS = 10 * 60_000;

/** Obtains time-stamps for the rows of a collection. Failures of the authority affect nothing else: they are retried. */
export const stampQueue = <Row extends StampRow>(
  deps: StampDeps,
  { name, description, collection, contentOf }: StampQueue<Row>,
): QueueSpec<Row> => ({
  name,
  description,
  collection,
  groupField: 'tenant_id',
  concurrency: CONCURRENCY,
  limits: { maxInFlight: CONCURRENCY },
  handle: (row, { signal }) => obtainStamp(deps, row.attempts + 1, () => contentOf(row), signal),
  poison: () => ({ set: { status: 'GIVEN_UP' } }),
});

async function obtainStamp(
  deps: StampDeps,
  attempts: number,
  content: () => Promise<Buffer>,
  signal: AbortSignal,
): Promise<Outcome> {
  if (deps.askAuthority === null) return { kind: 'postponed', atMs: deps.clock.nowMs() + LONGEST_WAIT_MS };
  const sha256 = hash('sha256', await content(), 'buffer');
  const nonce = deps.randomness.fill(new Uint8Array(NONCE_BYTES));
  const answer = await deps.askAuthority(timestampRequest({ sha256, nonce }), signal);
  if ('failure' in answer) return again(deps, attempts, answer.failure);
  try {
    const token = readTimestamp(answer.reply, { sha256, nonce });
    if (!isNow(token, deps.clock)) return again(deps, attempts, 'another_time');
    const set: StampFields = {
      ...token,
      status: 'OBTAINED',
      attempts,
      last_error: null,
      message_imprint: sha256.toString('hex'),
      reply: answer.reply.toString('base64'),
    };
    return { kind: 'done', change: { set: { ...set } } };
  } catch (error) {
    if (!(error instanceof TimestampFault)) throw error;
    deps.logger.warn(describeUnexpected(error), 'a time-stamp reply does not match its request');
    return again(deps, attempts, 'not_a_timestamp');
  }
}

/** A stamp of long ago, or of tomorrow, says nothing of when the content existed. */
const isNow = ({ gen_time }: TimestampToken, { nowMs }: Clock): boolean =>
  Math.abs(Date.parse(gen_time) - nowMs()) <= MAX_SKEW_MS;

function again({ clock }: Pick<StampDeps, 'clock'>, attempts: number, failure: string): Outcome {
  const set: Pick<StampFields, 'attempts' | 'last_error'> = { attempts, last_error: failure };
  if (attempts >= MAX_ATTEMPTS) return { kind: 'done', change: { set: { ...set, status: 'GIVEN_UP' } } };
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 20), LONGEST_WAIT_MS);
  return { kind: 'again', atMs: clock.nowMs() + waitMs, change: { set: { ...set } } };
}
