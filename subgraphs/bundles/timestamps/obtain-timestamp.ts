import { hash } from 'node:crypto';
import type { Clock } from '../../../shared/clock/clock.js';
import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { SIGNATURE_PATH } from '../../../shared/evidence/bundle/entries.js';
import { openStoredArchive } from '../../../shared/evidence/edx/stored-archive.js';
import type { Randomness } from '../../../shared/ids/ids.js';
import type { Lease, Outcome, QueueSpec } from '../../../shared/jobs/work-queue.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { readTimestamp, TimestampFault, timestampRequest } from '../../../shared/timestamp/time-stamp.js';
import type { WormStore } from '../../../shared/worm/worm-store.js';
import type { BundleStore } from '../bundles/index.js';
import type { AskAuthority, TimestampChange, TimestampRow } from './ports.js';

interface TimestampDeps {
  readonly bundles: BundleStore;
  readonly tenants: TenantDirectory;
  readonly worm: WormStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  /** Null if no authority is configured any more: pending work waits. */
  readonly askAuthority: AskAuthority | null;
}

const CONCURRENCY = 2;
const NONCE_BYTES = 16;
const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 3_600_000;
/** About four weeks. */
const MAX_ATTEMPTS = 700;

/** Failures of the authority do not affect the bundle, which is sealed: the time-stamp is retried. */
export const timestampQueue = (deps: TimestampDeps, collection: string): QueueSpec<TimestampRow> => ({
  name: 'bundles.timestamp',
  description: 'Obtains time-stamps for the signatures of sealed bundles.',
  collection,
  groupField: 'tenant_id',
  concurrency: CONCURRENCY,
  limits: { maxInFlight: CONCURRENCY },
  handle: (row, lease) => obtainTimestamp(deps, row, lease),
  poison: () => ({ set: { status: 'GIVEN_UP' } }),
});

async function obtainTimestamp(
  deps: TimestampDeps,
  row: TimestampRow,
  { signal }: Pick<Lease, 'signal'>,
): Promise<Outcome> {
  const nowMs = deps.clock.nowMs();
  if (deps.askAuthority === null) return { kind: 'postponed', atMs: nowMs + LONGEST_WAIT_MS };
  const attempts = row.attempts + 1;
  const sha256 = hash('sha256', await signatureOf(deps, row), 'buffer');
  const nonce = deps.randomness.fill(new Uint8Array(NONCE_BYTES));
  const answer = await deps.askAuthority(timestampRequest({ sha256, nonce }), signal);
  if ('failure' in answer) return again(deps, { attempts, failure: answer.failure });
  try {
    const token = readTimestamp(answer.reply, { sha256, nonce });
    const change: TimestampChange = {
      set: {
        ...token,
        status: 'OBTAINED',
        attempts,
        last_error: null,
        message_imprint: sha256.toString('hex'),
        reply: answer.reply.toString('base64'),
      },
    };
    return { kind: 'done', change };
  } catch (error) {
    if (!(error instanceof TimestampFault)) throw error;
    deps.logger.warn(describeUnexpected(error), 'a time-stamp reply does not match its request');
    return again(deps, { attempts, failure: 'not_a_timestamp' });
  }
}

function again(
  { clock }: Pick<TimestampDeps, 'clock'>,
  { attempts, failure }: { readonly attempts: number; readonly failure: string },
): Outcome {
  const change: TimestampChange = { set: { attempts, last_error: failure } };
  if (attempts >= MAX_ATTEMPTS) return { kind: 'done', change: { set: { ...change.set, status: 'GIVEN_UP' } } };
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 20), LONGEST_WAIT_MS);
  return { kind: 'again', atMs: clock.nowMs() + waitMs, change };
}

/** Reads signature.sig from the stored archive. */
async function signatureOf({ bundles, tenants, worm }: TimestampDeps, row: TimestampRow): Promise<Buffer> {
  const [bundle, tenant] = await Promise.all([bundles(row.tenant_id).get(row._id), tenants.find(row.tenant_id)]);
  if (!bundle?.seal || !tenant) throw new Error('a time-stamp was requested for a bundle that is not sealed');
  const { worm_blob_sha256, size } = bundle.seal;
  const stored = worm.forTenant({ tenantId: tenant.tenant_id, logId: tenant.log_id });
  const archive = await openStoredArchive({
    sizeBytes: size,
    read: (start, end) => stored.readBlob(worm_blob_sha256, { start, end }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive.read(SIGNATURE_PATH)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
