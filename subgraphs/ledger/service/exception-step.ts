import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { ledgerEntryEffect, type PendingEffect, platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { EXCEPTION_MACHINE, type ExceptionAction, type ExceptionStatus } from '../domain/exception-states.js';
import type { ExceptionRow, ExceptionWrite } from './ports/exception-store.js';

/** Who takes a step: a key, or a part of the service. */
export interface StepTaker {
  readonly by: string;
  readonly actor_id: string | null;
  readonly work_id: string | null;
}

export const SERVICE_TAKER: StepTaker = { by: 'service:ledger', actor_id: null, work_id: null };

export const takerOf = ({ principal, workId }: Pick<RequestContext, 'principal' | 'workId'>): StepTaker => ({
  by: principal.keyId,
  actor_id: principal.actorId,
  work_id: workId,
});

export interface StepInput {
  readonly action: ExceptionAction;
  /** Null for one that is being opened. */
  readonly from: ExceptionStatus | null;
  /** As it is after the step. */
  readonly exception: Omit<ExceptionRow, 'history'>;
  readonly taker: StepTaker;
  readonly note?: string | null;
}

/** One write that is the step and holds what must follow from it: entries of `_records`, and what receivers are told. */
export function exceptionWrite(
  ids: Pick<Ids, 'next'>,
  { action, from, exception, taker, note }: StepInput,
): ExceptionWrite {
  const { to, emits } = transition(EXCEPTION_MACHINE, from, action);
  const { revision, updated_at } = exception;
  const step = { revision, action, from, to, at: updated_at, ...taker, note: note ?? null };
  const entries = emits.map((type) => recordsEntry(ids, type, { ...exception, status: to }, step));
  return { exception: { ...exception, status: to }, step, pending: [...entries, ...told(ids, action, exception)] };
}

/** The words of people stay in the record: an entry holds ids, states and times. */
function recordsEntry(
  ids: Pick<Ids, 'next'>,
  type: string,
  { tenant_id, exception_id, kind, severity, subject, updated_at, revision }: ExceptionWrite['exception'],
  { action, from, to, by, actor_id }: ExceptionWrite['step'],
): PendingEffect {
  return ledgerEntryEffect(ids, {
    tenant_id,
    source_system: '_records',
    entry: {
      event_family: 'exception',
      event_type: type,
      event_effective_timestamp: isoTime(updated_at.getTime()),
      outcome: to,
      payload: {
        exception_id,
        kind,
        severity,
        subject,
        action,
        from,
        to,
        revision,
        by,
        ...(actor_id === null ? {} : { actor_id }),
      },
    },
  });
}

/** A known gap that reopens is told as opened again: somebody has to look at it again. */
function told(
  ids: Pick<Ids, 'next'>,
  action: ExceptionAction,
  { tenant_id, exception_id, kind, severity, updated_at }: ExceptionWrite['exception'],
): readonly PendingEffect[] {
  const about = { tenant_id, at: isoTime(updated_at.getTime()) };
  if (action === 'open' || action === 'reopen') {
    return [platformEventEffect(ids, { ...about, type: 'exception.opened', data: { exception_id, kind, severity } })];
  }
  if (action === 'resolve' || action === 'clear') {
    return [platformEventEffect(ids, { ...about, type: 'exception.resolved', data: { exception_id, kind } })];
  }
  return [];
}
