import type { Clock } from '../../../shared/clock/clock.js';
import type { ExceptionKind } from '../../../shared/contracts/exceptions.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { ExceptionAction } from '../domain/exception-states.js';
import type { ExceptionEffects } from './exception-effects.js';
import { exceptionWrite, type StepTaker } from './exception-step.js';
import { subjectKeyOf } from './open-exception.js';
import type { ExceptionRow, ExceptionStore } from './ports/exception-store.js';

export interface ServiceStepDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly exceptions: ExceptionStore;
  readonly effects: ExceptionEffects;
}

export interface Cleared {
  readonly kind: ExceptionKind;
  readonly subject: JsonObject;
  /** Why it is over. */
  readonly note: string;
}

/** Resolution of what has righted itself. */
const CLEARED = 'CLEARED';
/** Each lost race is a step that somebody else has taken. */
const MAX_ATTEMPTS = 5;

/** Resolves the exception of this kind and subject that stands. @returns false where there is none. */
export async function clearException(
  deps: ServiceStepDeps,
  tenantId: TenantId,
  { kind, subject, note }: Cleared,
  taker: StepTaker,
): Promise<boolean> {
  const exceptions = deps.exceptions.forTenant(tenantId);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = await exceptions.standing(kind, subjectKeyOf(subject));
    if (standing === null) return false;
    const resolved_at = new Date(deps.clock.nowMs());
    const members = { resolution: CLEARED, resolution_note: note, resolved_at };
    if (await serviceStep(deps, standing, { action: 'clear', members, note, taker })) return true;
  }
  throw new Error('an exception is changed faster than it can be cleared');
}

/** Reopens known gaps whose time is over (api.md section 2 "Exceptions"). @returns how many. */
export async function reopenKnownGaps(deps: ServiceStepDeps, taker: StepTaker, signal: AbortSignal): Promise<number> {
  let reopened = 0;
  while (!signal.aborted) {
    const over = await deps.exceptions.gapsOver(deps.clock.nowMs(), REOPENED_AT_ONCE);
    for (const exception of over) {
      const members = { known_gap: null, assigned_to: null };
      const note = 'the time of the known gap is over';
      if (await serviceStep(deps, exception, { action: 'reopen', members, note, taker })) reopened++;
    }
    if (over.length < REOPENED_AT_ONCE) break;
  }
  return reopened;
}

const REOPENED_AT_ONCE = 100;

interface ServiceStep {
  readonly action: ExceptionAction;
  readonly members: Partial<ExceptionRow>;
  readonly note: string;
  readonly taker: StepTaker;
}

/** @returns false when somebody else has changed it since it was read. */
async function serviceStep(deps: ServiceStepDeps, before: ExceptionRow, step: ServiceStep): Promise<boolean> {
  const { history: _, status: from, ...rest } = before;
  const { members, ...about } = step;
  const updated_at = new Date(deps.clock.nowMs());
  const exception = { ...rest, status: from, ...members, revision: before.revision + 1, updated_at };
  const write = exceptionWrite(deps.ids, { ...about, from, exception });
  const changed = await deps.exceptions.forTenant(before.tenant_id).replace(write, before.revision);
  if (changed === null) return false;
  await deps.effects.now(write);
  return true;
}
