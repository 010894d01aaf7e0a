import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { EXCEPTION_MACHINE, type ExceptionAction } from '../domain/exception-states.js';
import type { ExceptionEffects } from './exception-effects.js';
import { exceptionWrite, takerOf } from './exception-step.js';
import type { ExceptionRow, ExceptionStore } from './ports/exception-store.js';

export interface ChangeExceptionDeps extends WorkDeps {
  readonly clock: Clock;
  readonly exceptions: ExceptionStore;
  readonly effects: ExceptionEffects;
}

/** Writers who meet on one exception try again this often. */
const MAX_ATTEMPTS = 5;

/** Gives it to somebody, or to somebody else. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT */
export const assignException = (
  deps: ChangeExceptionDeps,
  context: RequestContext,
  { exceptionId, assignee }: { readonly exceptionId: string; readonly assignee: string },
): Promise<ExceptionRow> =>
  step(deps, context, exceptionId, { action: 'assign', members: { assigned_to: assignee }, note: assignee });

/** Final: the same again is a new exception. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT */
export const resolveException = (
  deps: ChangeExceptionDeps,
  context: RequestContext,
  input: { readonly exceptionId: string; readonly resolution: string; readonly note?: string | undefined },
): Promise<ExceptionRow> => {
  const { exceptionId, resolution, note = null } = input;
  const resolved_at = new Date(deps.clock.nowMs());
  const members = { resolution, resolution_note: note, resolved_at };
  return step(deps, context, exceptionId, { action: 'resolve', members, note: note ?? resolution });
};

/**
 * Notes that it is known and bearable, until a time or for good: what is told of it meanwhile is counted and opens nothing.
 * @throws VALIDATION_ERROR for a time that is past, NOT_FOUND, INVALID_TRANSITION, CONFLICT
 */
export async function markKnownGap(
  deps: ChangeExceptionDeps,
  context: RequestContext,
  input: { readonly exceptionId: string; readonly reason: string; readonly untilMs?: number | undefined },
): Promise<ExceptionRow> {
  const { exceptionId, reason, untilMs } = input;
  if (untilMs !== undefined && untilMs <= deps.clock.nowMs()) {
    throw problem('VALIDATION_ERROR', { errors: [fault('/until', 'past', 'Must be a time to come.')] });
  }
  const known_gap = { reason, until: untilMs === undefined ? null : new Date(untilMs) };
  return step(deps, context, exceptionId, { action: 'mark-known-gap', members: { known_gap }, note: reason });
}

interface Step {
  readonly action: ExceptionAction;
  readonly members: Partial<ExceptionRow>;
  readonly note: string | null;
}

/** One step of the state table: read, ask the table, write on the revision that was read. */
async function step(
  deps: ChangeExceptionDeps,
  context: RequestContext,
  exceptionId: string,
  { action, members, note }: Step,
): Promise<ExceptionRow> {
  const exceptions = deps.exceptions.forTenant(authorise(context, 'exceptions:write'));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const before = isIdOf('exception', exceptionId) ? await exceptions.get(exceptionId) : null;
    if (before === null) throw problem('NOT_FOUND');
    if (isDoneBy(context, before, action)) return before;
    const { status: from, history: _, ...rest } = before;
    const { to } = transition(EXCEPTION_MACHINE, from, action);
    const exception = {
      ...rest,
      ...members,
      status: to,
      revision: before.revision + 1,
      updated_at: new Date(deps.clock.nowMs()),
    };
    const { ids } = forWork(deps, context, `${action}-exception`);
    const write = exceptionWrite(ids, { action, from, exception, taker: takerOf(context), note });
    const changed = await exceptions.replace(write, before.revision);
    if (changed === null) continue;
    await deps.effects.now(write);
    return changed;
  }
  throw problem('CONFLICT', { message: 'The exception is being changed by others; read it and try again.' });
}

/** The same request, run again after its answer was lost. */
const isDoneBy = ({ workId }: RequestContext, { history }: ExceptionRow, action: ExceptionAction): boolean =>
  workId !== null && history.some((done) => done.work_id === workId && done.action === action);
