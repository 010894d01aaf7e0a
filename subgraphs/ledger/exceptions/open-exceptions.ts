import type { Clock } from '../../../shared/clock/clock.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { RecordWrite } from '../../../shared/records/records.js';
import { conflictDraft, type LedgerStore } from '../append/index.js';
import type { Chain } from '../followers/index.js';
import { idsIn, subjectKeyOf } from './domain/identity.js';
import { EXCEPTION_TABLE } from './domain/kinds.js';
import type { ConflictStore, ExceptionDraft, ExceptionRow, ExceptionStore, OpenExceptions } from './ports.js';
import { exceptionSteps, serviceItself } from './steps.js';

interface OpenerDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly exceptions: ExceptionStore;
}

/** Opens exceptions, once for each unresolved (kind, subject): a repetition of an open one is counted. */
export class ExceptionOpener {
  readonly #deps: OpenerDeps;
  #behind: Promise<void> = Promise.resolve();

  constructor(deps: OpenerDeps) {
    this.#deps = deps;
  }

  readonly open: OpenExceptions = async (id, drafts) => {
    if (drafts.length === 0) return [];
    const tenantId = lookedUp(id);
    const writes = drafts.map((draft) => ({
      ...this.#opening(tenantId, draft),
      once: draft.exception_id !== undefined,
    }));
    const exceptions = this.#deps.exceptions.forTenant(tenantId);
    const outcomes = await exceptions.open(writes);
    // The answer need not wait for the notices to receivers: they are committed with the rows.
    for (const write of writes.filter((_, at) => outcomes[at]?.opened === true)) {
      this.#behind = this.#behind.then(() => exceptions.relay(write));
    }
    return outcomes.map(({ exception }) => exception);
  };

  /** Resolves when no effect of an opening waits. */
  async idle(): Promise<void> {
    await this.#behind;
  }

  #opening(tenant_id: TenantId, draft: ExceptionDraft): RecordWrite<ExceptionRow> {
    const { clock, ids } = this.#deps;
    const { kind, source, subject, detail, raw_sha256 = null, exception_id = ids.next('exception') } = draft;
    const at = new Date(clock.nowMs());
    const members = {
      exception_id,
      tenant_id,
      kind,
      severity: EXCEPTION_TABLE[kind].severity,
      status: 'OPEN',
      source,
      subject,
      subject_key: subjectKeyOf(subject),
      subject_ids: idsIn(subject),
      detail,
      raw_sha256,
      occurrences: 1,
      last_seen_at: at,
      assigned_to: null,
      resolution: null,
      resolution_note: null,
      resolved_at: null,
      known_gap: null,
      revision: 1,
      created_at: at,
      updated_at: at,
    } as const;
    const steps = exceptionSteps(this.#deps, serviceItself(ids), tenant_id);
    return steps.creation(exception_id, at, members, { action: 'open' });
  }
}

/** Callers are parts of this subgraph; their rows and contexts only name tenants that were looked up. */
export const lookedUp = (tenantId: string): TenantId => tenantId as TenantId;

interface ConflictDeps {
  readonly store: LedgerStore;
  readonly conflicts: ConflictStore;
  readonly openExceptions: OpenExceptions;
}

const ROWS_AT_ONCE = 500;

/**
 * Opens SOURCE_RECORD_CONFLICT for events where a crash lost it between append and opening. The event's row has the
 * mark, and the exception id is derived from the event, so that an existing exception is not opened again.
 */
export async function openLostConflicts(deps: ConflictDeps, signal: AbortSignal): Promise<void> {
  for await (const tenantId of deps.store.tenantIds()) {
    const done = await deps.conflicts.doneUpTo(tenantId);
    for (const sourceSystem of await deps.store.forTenant(tenantId).sourceSystems()) {
      if (signal.aborted) return;
      await openOfChain(deps, { tenantId, sourceSystem }, done.get(sourceSystem) ?? 0);
    }
  }
}

async function openOfChain(deps: ConflictDeps, chain: Chain, afterSeq: number): Promise<void> {
  for (let seq = afterSeq; ; ) {
    const rows = await deps.conflicts.marked(chain, seq, ROWS_AT_ONCE);
    const last = rows.at(-1);
    if (!last) return;
    await deps.openExceptions(
      chain.tenantId,
      rows.map((row) => conflictDraft(row.event_id, chain.sourceSystem, row._id.seq, row.conflicts_with ?? [])),
    );
    seq = last._id.seq;
    // Opens before it marks: a crash in between repeats the opening, which changes nothing.
    await deps.conflicts.markDone(chain, seq);
  }
}
