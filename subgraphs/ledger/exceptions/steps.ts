import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type PendingEffect, platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import {
  type RecordKind,
  RecordSteps,
  type StepDeps,
  type StepTaken,
  type StepTaker,
  serviceTaker,
  stepsOf,
} from '../../../shared/records/steps.js';
import { EXCEPTION_MACHINE } from './domain/states.js';
import type { ExceptionRow, ExceptionStore } from './ports.js';

export interface ExceptionDeps extends StepDeps {
  readonly exceptions: ExceptionStore;
}

/** Free texts stay in the record: an entry holds ids, statuses and times. */
const EXCEPTION: RecordKind<ExceptionRow, 'exception_id'> = {
  machine: EXCEPTION_MACHINE,
  idKind: 'exception',
  id: 'exception_id',
  noun: 'exception',
  family: 'exception',
  payload: ({ exception_id, kind, severity, subject }, step) => ({ exception_id, kind, severity, subject, ...step }),
  line: (line) => ({ note: null, ...line }),
  pending: (entries, taken) => [...entries, ...noticesOf(taken)],
};

/** A reopened known gap is reported as opened again, because a person must look at it again. */
function noticesOf({ action, after, at, ids }: StepTaken<ExceptionRow>): readonly PendingEffect[] {
  const { tenant_id, exception_id, kind, severity } = after;
  const about = { tenant_id, at: isoTime(at.getTime()) };
  if (action === 'open' || action === 'reopen') {
    return [platformEventEffect(ids, { ...about, type: 'exception.opened', data: { exception_id, kind, severity } })];
  }
  if (action === 'resolve' || action === 'clear') {
    return [platformEventEffect(ids, { ...about, type: 'exception.resolved', data: { exception_id, kind } })];
  }
  return [];
}

/** The part of the service that takes steps by itself. */
export const serviceItself = (ids: Ids): StepTaker => serviceTaker(ids, 'service:ledger');

export const exceptionSteps = (
  { clock, exceptions }: Pick<ExceptionDeps, 'clock' | 'exceptions'>,
  taker: StepTaker,
  tenantId: TenantId,
) => new RecordSteps(EXCEPTION, { clock, taker, rows: exceptions.forTenant(tenantId) });

const stepsBy = (deps: ExceptionDeps, context: RequestContext) =>
  stepsOf(EXCEPTION, deps, context, deps.exceptions.forTenant(authorise(context, 'exceptions:write')));

/** The revision that the caller has read; without one, the step is taken on any. */
interface Seen {
  readonly revision?: number | null | undefined;
}

/** Assigns the exception, or reassigns it. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT */
export const assignException = (
  deps: ExceptionDeps,
  context: RequestContext,
  exceptionId: string,
  { assignee, revision }: { readonly assignee: string } & Seen,
): Promise<ExceptionRow> =>
  stepsBy(deps, context).take(exceptionId, 'assign', {
    revision: revision ?? undefined,
    change: () => ({ assigned_to: assignee }),
    line: { note: assignee },
  });

/**
 * Resolves the exception for good: a repetition is a new exception.
 *
 * @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT
 */
export const resolveException = (
  deps: ExceptionDeps,
  context: RequestContext,
  exceptionId: string,
  { resolution, note, revision }: { readonly resolution: string; readonly note?: string | null } & Seen,
): Promise<ExceptionRow> =>
  stepsBy(deps, context).take(exceptionId, 'resolve', {
    revision: revision ?? undefined,
    change: (_before, resolved_at) => ({ resolution, resolution_note: note ?? null, resolved_at }),
    line: { note: note ?? resolution },
  });

/**
 * Marks the exception as a known gap, until a time or for good: repetitions are counted meanwhile and open nothing.
 *
 * @throws VALIDATION_ERROR for a past time, NOT_FOUND, INVALID_TRANSITION, CONFLICT
 */
export async function markKnownGap(
  deps: ExceptionDeps,
  context: RequestContext,
  exceptionId: string,
  { reason, untilMs, revision }: { readonly reason: string; readonly untilMs?: number | undefined } & Seen,
): Promise<ExceptionRow> {
  if (untilMs !== undefined && untilMs <= deps.clock.nowMs()) {
    throw problem('VALIDATION_ERROR', { errors: [fault('/until', 'past', 'Must be a future time.')] });
  }
  const known_gap = { reason, until: untilMs === undefined ? null : new Date(untilMs) };
  return stepsBy(deps, context).take(exceptionId, 'mark-known-gap', {
    revision: revision ?? undefined,
    change: () => ({ known_gap }),
    line: { note: reason },
  });
}
