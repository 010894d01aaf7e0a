import type { RequestContext } from '../../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../../shared/clock/clock.js';
import { problem } from '../../../../shared/errors/problem.js';
import { type IdKind, isIdOf } from '../../../../shared/ids/ids.js';
import { forWork, type WorkDeps } from '../../../../shared/ids/work.js';
import { ledgerEntryEffect } from '../../../../shared/outbox/pending-effect.js';
import { type StateMachine, transition } from '../../../../shared/state-machine/state-machine.js';
import type { MembersEffect } from '../ports/member-effects.js';
import type { SteppedRecord, SteppedWrite, TenantStepped } from '../ports/stepped-store.js';

export interface StepDeps extends WorkDeps {
  readonly clock: Clock;
}

/** What sets one kind of records apart from another. */
export interface RecordKind {
  readonly machine: StateMachine;
  readonly idKind: IdKind;
  /** Member of entries in the ledger: `appointment_id`. */
  readonly idName: string;
  /** Of its entries in `_records`. */
  readonly family: string;
}

/** Writers who meet on one record try again this often. */
const MAX_ATTEMPTS = 5;

/** What every new record begins with; the first step (stepped) gives it its status. */
export function freshRecord(
  deps: StepDeps,
  { workId, principal }: RequestContext,
  { idKind }: RecordKind,
): Pick<SteppedRecord, 'id' | 'revision' | 'created_at' | 'created_by' | 'updated_at'> & { readonly history: [] } {
  const at = new Date(deps.clock.nowMs());
  const id = forWork(deps, { workId }, `create-${idKind}`).ids.next(idKind);
  return { id, revision: 0, created_at: at, created_by: principal.keyId, updated_at: at, history: [] };
}

/**
 * The record with a step taken: its status, its line of history, its entry in `_records`.
 *
 * @param effects what follows beside the entry. @throws INVALID_TRANSITION
 */
export function stepped<R extends SteppedRecord>(
  deps: StepDeps,
  context: RequestContext,
  kind: RecordKind,
  {
    from,
    record,
    action,
    effects = [],
  }: { from: R['status'] | null; record: R; action: string; effects?: readonly MembersEffect[] },
): SteppedWrite<R> {
  const step = transition(kind.machine, from, action);
  const at = new Date(deps.clock.nowMs());
  const { keyId: by, actorId: actor_id } = context.principal;
  const revision = record.revision + 1;
  const line = { revision, action, from: step.from, to: step.to, at, by, actor_id, work_id: context.workId };
  const { ids } = forWork(deps, context, `${kind.idKind}-${action}-entries`);
  const pending: MembersEffect[] = step.emits.map((eventType) =>
    ledgerEntryEffect(ids, {
      tenant_id: record.tenant_id,
      source_system: '_records',
      entry: {
        event_family: kind.family,
        event_type: eventType,
        event_effective_timestamp: isoTime(at.getTime()),
        outcome: step.to,
        // Whose it is, with whom and when, is personal: the record says it, the entry says that it changed.
        payload: {
          [kind.idName]: record.id,
          action,
          from: step.from,
          to: step.to,
          revision,
          by,
          ...(actor_id === null ? {} : { actor_id }),
        },
      },
    }),
  );
  const after = { ...record, status: step.to, revision, updated_at: at, history: [...record.history, line] };
  return { record: after, pending: [...pending, ...effects] };
}

export interface StepAsked {
  readonly id: string;
  readonly action: string;
  /** The one that it is taken on; any where it is not told. */
  readonly revision: number | undefined;
}

/**
 * Takes a step of a standing record; again under one Idempotency-Key it is taken once.
 *
 * @param change the record with what the step brings along, but its status.
 * @param effects what follows beside the entry, of the record after `change`.
 * @param taken what is told where a unique key of it is another's.
 * @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT
 */
export async function takeStep<R extends SteppedRecord>(
  { rows, ...deps }: StepDeps & { readonly rows: TenantStepped<R> },
  context: RequestContext,
  kind: RecordKind,
  { id, action, revision }: StepAsked,
  {
    change,
    effects = () => [],
    taken = () => problem('CONFLICT'),
  }: {
    change: (standing: R) => R | Promise<R>;
    effects?: (changed: R, standing: R) => readonly MembersEffect[];
    taken?: () => Error;
  },
): Promise<R> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = isIdOf(kind.idKind, id) ? await rows.get(id) : null;
    if (standing === null) throw problem('NOT_FOUND');
    const { workId } = context;
    if (workId !== null && standing.history.some((line) => line.work_id === workId)) return standing;
    if (revision !== undefined && standing.revision !== revision) {
      throw problem('CONFLICT', { message: 'The record is at another revision than the one named.' });
    }
    // Asked before the change, which may find fault with what a step that is not allowed brings along.
    transition(kind.machine, standing.status, action);
    const record = await change(standing);
    const following = { from: standing.status, record, action, effects: effects(record, standing) };
    const write = stepped(deps, context, kind, following);
    const outcome = await rows.replace(write, standing.revision);
    if (outcome === 'taken') throw taken();
    if (outcome === 'moved') continue;
    await rows.relay(write);
    return write.record;
  }
  throw problem('CONFLICT', { message: 'The record is being changed by others; read it and try again.' });
}
