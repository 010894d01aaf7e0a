import type { Clock } from '../../../shared/clock/clock.js';
import type { LedgerDisposal } from '../../../shared/contracts/disposal.js';
import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { Problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { HeldBytes, HoldFlags } from '../../../shared/worm/objects/hold-flags.js';
import type { KeptWormStore } from '../../../shared/worm/worm-store.js';
import type { DocumentStore } from '../documents/index.js';
import type { FlagRows, HoldStore, ListedRecord } from './ports.js';

export interface FlagDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly holds: HoldStore;
  readonly flagRows: FlagRows;
  readonly documents: DocumentStore;
  readonly ledgerDisposal: LedgerDisposal;
  readonly tenants: TenantDirectory;
  readonly worm: KeptWormStore;
}

const PAGE = 500;
/** Time until a tenant with a damaged record has its turn again. */
const PAUSE_MS = 600_000;
const LIFTED_AT_ONCE = 200;
/** Interval of further attempts for records without an object. */
const MISSING_EVERY_MS = 60_000;
/** A process that still sets flags of a released hold has ended by then; later flags would have no row that lifts them. */
const STRAGGLER_MS = 3_600_000;

/**
 * Sets the legal hold flag of the objects with records that active holds list, and lifts those of released holds. Every step is
 * idempotent: after a crash, or a bucket that does not answer, the next run continues.
 *
 * @param pausedUntilMs tenants with a damaged record, by when they have their turn again
 * @throws the first failure, after all tenants had their turn
 */
export async function flagHeld(
  deps: FlagDeps,
  signal?: AbortSignal,
  pausedUntilMs: Map<TenantId, number> = new Map(),
): Promise<void> {
  let failure: unknown;
  const tenantIds = new Set([...(await deps.holds.tenantIds()), ...(await deps.flagRows.tenantIds())]);
  for (const tenantId of tenantIds) {
    if (signal?.aborted) return;
    if ((pausedUntilMs.get(tenantId) ?? 0) > deps.clock.nowMs()) continue;
    try {
      await flagTenant(deps, tenantId, signal);
    } catch (error) {
      const code = error instanceof Problem ? error.code : 'INTERNAL_ERROR';
      deps.logger.warn({ tenant_id: tenantId, code }, 'the legal hold flags of a tenant wait for the next run');
      // Each attempt reports the damage again.
      if (code === 'INTEGRITY_FAILURE') pausedUntilMs.set(tenantId, deps.clock.nowMs() + PAUSE_MS);
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
}

async function flagTenant(deps: FlagDeps, tenantId: TenantId, signal: AbortSignal | undefined): Promise<void> {
  const tenant = await deps.tenants.find(tenantId);
  const flags = tenant && deps.worm.upkeepOf({ tenantId, logId: tenant.log_id }).holdFlags;
  if (!flags) return;
  for (const { hold_id } of await deps.holds.forTenant(tenantId).active()) {
    await setFlags(deps, tenantId, hold_id, flags, signal);
  }
  for (const { hold_id } of await deps.flagRows.of(tenantId)) await liftFlags(deps, tenantId, hold_id, flags, signal);
}

async function setFlags(
  deps: FlagDeps,
  tenantId: TenantId,
  holdId: string,
  flags: HoldFlags,
  signal: AbortSignal | undefined,
): Promise<void> {
  const holds = deps.holds.forTenant(tenantId);
  const again = new Date(deps.clock.nowMs() - MISSING_EVERY_MS);
  while (signal?.aborted !== true) {
    const listed = await holds.unflagged(holdId, again, PAGE);
    if (listed.length === 0) return;
    // Before the first flag: this row makes a later run lift the flags.
    await deps.flagRows.begin(tenantId, holdId);
    const named = await bytesOf(deps, tenantId, listed);
    const missing = await flags.set(holdId, allOf(named));
    const isMissing = (row: ListedRecord): boolean => {
      const bytes = named.get(row.id);
      return bytes === undefined || [...bytes.records, ...bytes.contents].some((sha256) => missing.has(sha256));
    };
    const absent = listed.filter(isMissing);
    if (absent.length > 0) {
      deps.logger.error({ hold_id: holdId, records: absent.length }, 'held records without an object in the bucket');
    }
    const at = new Date(deps.clock.nowMs());
    await holds.markFlagged(holdId, absent, { missing: true, at });
    await holds.markFlagged(
      holdId,
      listed.filter((row) => !isMissing(row)),
      { missing: false, at },
    );
  }
}

async function liftFlags(
  deps: FlagDeps,
  tenantId: TenantId,
  holdId: string,
  flags: HoldFlags,
  signal: AbortSignal | undefined,
): Promise<void> {
  // A read proves the release: someone who edits the row of a hold lifts no flag.
  const hold = await deps.holds.forTenant(tenantId).get(holdId);
  if (hold?.status !== 'RELEASED' || hold.release === null) return;
  while ((await flags.lift(holdId, LIFTED_AT_ONCE)) === LIFTED_AT_ONCE) if (signal?.aborted) return;
  if (hold.release.released_at.getTime() < deps.clock.nowMs() - STRAGGLER_MS) await deps.flagRows.end(holdId);
  else await deps.flagRows.markLifted(holdId);
}

/** The bytes of listed records by their ids. A lost or damaged record has none. */
async function bytesOf(
  deps: Pick<FlagDeps, 'documents' | 'ledgerDisposal'>,
  tenantId: TenantId,
  listed: readonly ListedRecord[],
): Promise<ReadonlyMap<string, HeldBytes>> {
  const idsOf = (wanted: ListedRecord['kind']): readonly string[] =>
    listed.filter(({ kind }) => kind === wanted).map(({ id }) => id);
  const [eventIds, documentIds] = [idsOf('EVENT'), idsOf('DOCUMENT')];
  const facts = eventIds.length === 0 ? null : await deps.ledgerDisposal.facts(tenantId, eventIds);
  const documents = await deps.documents(tenantId).among(documentIds);
  const nothing: HeldBytes = { records: [], contents: [] };
  return new Map<string, HeldBytes>([
    ...(facts?.disposed ?? []).map((id) => [id, nothing] as const),
    ...(facts?.candidates ?? []).map(
      ({ event_id, worm_sha256, raw_sha256 }) =>
        [event_id, { records: present(worm_sha256), contents: present(raw_sha256) }] as const,
    ),
    ...documents.map(
      ({ document_id, status, sha256 }) =>
        [document_id, status === 'DISPOSED' ? nothing : { records: [], contents: [sha256] }] as const,
    ),
  ]);
}

const present = (sha256: string | null): readonly string[] => (sha256 === null ? [] : [sha256]);

function allOf(named: ReadonlyMap<string, HeldBytes>): HeldBytes {
  const all = [...named.values()];
  return {
    records: [...new Set(all.flatMap(({ records }) => records))],
    contents: [...new Set(all.flatMap(({ contents }) => contents))],
  };
}
