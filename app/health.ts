import type { Clock } from '../shared/clock/clock.js';
import { within } from '../shared/clock/timers.js';
import type { BaseDeps } from '../shared/contracts/deps.js';
import type { LedgerRecords } from '../shared/contracts/ledger-records.js';
import type { KnownAnchoring } from '../shared/contracts/ledger-verification.js';
import { OPERATOR_TENANT } from '../shared/ids/tenant.js';
import type { Signer } from '../shared/signing/signer.js';
import { describeUnexpected } from '../shared/telemetry/describe-error.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { WormStore } from '../shared/worm/worm-store.js';

/** A part that can be asked whether it serves; `health` throws with an internal text when not. */
export interface Checked {
  readonly name: string;
  /** Why not, in words that may be shown to anyone. */
  readonly cause: string;
  /** The service works without it, in part: the report names it and stays `ok`. It logs its own loss. */
  readonly isOptional?: true;
  /** @returns what may be shown to anyone about the part, if there is something. */
  health(): Promise<object | undefined>;
}

interface HealthReport {
  readonly status: 'ok' | 'degraded';
  readonly checks: Readonly<Record<string, HealthCheck>>;
}

interface HealthCheck {
  readonly status: 'ok' | 'failed';
  readonly cause?: string;
  readonly details?: object;
}

/** Probes give up after a few seconds themselves; a part that only hangs must be named before they do. */
const CHECK_TIMEOUT_MS = 2_500;

/** Asks every part; what really happened is logged, the report holds names and words of ours alone. */
export async function healthOf(
  parts: readonly Checked[],
  logger: Logger,
  timeoutMs = CHECK_TIMEOUT_MS,
): Promise<HealthReport> {
  const states = await Promise.all(
    parts.map(async (part) => {
      try {
        const answered = await within(
          timeoutMs,
          part.health().then((details) => ({ status: 'ok', ...(details ? { details } : {}) }) as const),
        );
        if (answered === undefined) throw new Error('no answer in time');
        return [part.name, answered] as const;
      } catch (error) {
        if (!part.isOptional) logger.warn({ ...describeUnexpected(error), part: part.name }, 'a health check failed');
        return [part.name, { status: 'failed', cause: part.cause }] as const;
      }
    }),
  );
  const optional = new Set(parts.flatMap(({ name, isOptional }) => (isOptional ? [name] : [])));
  const ok = states.every(([name, check]) => check.status === 'ok' || optional.has(name));
  return { status: ok ? 'ok' : 'degraded', checks: Object.fromEntries(states) };
}

/** A subgraph's own check. */
export const subgraphCheck = (subgraph: { readonly name: string; health(): Promise<void> }): Checked => ({
  name: subgraph.name,
  cause: 'the subgraph does not answer',
  health: async () => {
    await subgraph.health();
    return undefined;
  },
});

/** The signer's own check. Without it the service takes and shows records; it signs and seals nothing. */
export const signerCheck = (signer: Signer): Checked => ({
  name: 'signer',
  cause: 'the signer does not answer; nothing is signed or sealed',
  isOptional: true,
  health: async () => {
    await signer.status();
    return undefined;
  },
});

/** Time in ms for which known anchors are shown: frequent callers must not make the signer read its notes each time. */
const ANCHORS_KNOWN_MS = 10_000;

/**
 * What holds the operator's ledger to its history; once an hour it covers the ledgers of all tenants (docs/checkpoints.md
 * "One note for all").
 */
export function anchorsCheck({ anchors }: Pick<LedgerRecords, 'anchors'>, clock: Clock): Checked {
  let known: { readonly atMs: number; readonly details: Promise<KnownAnchoring> } | undefined;
  return {
    name: 'anchors',
    cause: 'the anchors of the ledger cannot be read',
    isOptional: true,
    health: async () => {
      const nowMs = clock.monotonicMs();
      if (known === undefined || nowMs - known.atMs > ANCHORS_KNOWN_MS) {
        known = { atMs: nowMs, details: anchors(OPERATOR_TENANT) };
      }
      const { verdict, anchors: found, unanchored } = await known.details;
      return { verdict, anchors: found, unanchored };
    },
  };
}

/** Checks of the stores that every process with a database uses. */
export const storeChecks = (database: BaseDeps['database'], worm: WormStore): readonly Checked[] => [
  {
    name: 'database',
    cause: 'the database does not answer',
    health: async () => {
      await database.db.command({ ping: 1 });
      return undefined;
    },
  },
  {
    name: 'worm',
    cause: 'the write-once store cannot be read',
    health: async () => {
      await worm.forTenant({ tenantId: OPERATOR_TENANT, logId: OPERATOR_TENANT }).blobSize(NO_BLOB);
      return undefined;
    },
  },
];

/** Of no content: looking it up reads the store and finds nothing. */
const NO_BLOB = '0'.repeat(64);

const OUT_OF_SERVICE = { name: 'lifecycle', cause: 'the process is starting or stopping' } as const;

/** Liveness of a process that listens: no part is asked. */
export const ALIVE: HealthReport = { status: 'ok', checks: {} };

/** Readiness of a process before its parts exist. */
export const NOT_READY: HealthReport = {
  status: 'degraded',
  checks: { [OUT_OF_SERVICE.name]: { status: 'failed', cause: OUT_OF_SERVICE.cause } },
};

/** Fails while the process starts and from the moment that it stops. */
export const lifecycleCheck = (lifecycle: { readonly takesWork: boolean }): Checked => ({
  ...OUT_OF_SERVICE,
  health: async () => {
    if (!lifecycle.takesWork) throw new Error('not in service');
    return undefined;
  },
});
