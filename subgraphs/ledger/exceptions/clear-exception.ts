import type { ExceptionKind } from '../../../shared/contracts/exceptions.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { retryOnConflict } from '../../../shared/records/conflicts.js';
import type { StepTaker } from '../../../shared/records/steps.js';
import { subjectKeyOf } from './domain/identity.js';
import { type ExceptionDeps, exceptionSteps, serviceItself } from './steps.js';

type ServiceStepDeps = Pick<ExceptionDeps, 'clock' | 'ids' | 'exceptions'>;

/** Resolution of an exception after its cause has gone. */
const CLEARED = 'CLEARED';
const REOPENED_AT_ONCE = 100;

/**
 * Resolves the open exception of this kind and subject.
 *
 * @param note why the exception no longer applies.
 * @returns false if there is none.
 */
export function clearException(
  deps: ServiceStepDeps,
  taker: StepTaker,
  tenantId: TenantId,
  { kind, subject, note }: { readonly kind: ExceptionKind; readonly subject: JsonObject; readonly note: string },
): Promise<boolean> {
  const steps = exceptionSteps(deps, taker, tenantId);
  return retryOnConflict('exception', async () => {
    const open = await deps.exceptions.forTenant(tenantId).unresolved(kind, subjectKeyOf(subject));
    if (open === null) return false;
    const at = new Date(deps.clock.nowMs());
    const changes = { resolution: CLEARED, resolution_note: note, resolved_at: at };
    return (await steps.takeOn(open, 'clear', changes, { at, line: { note } })) === null ? undefined : true;
  });
}

/**
 * Reopens known gaps after the end of their time (api.md section 2 "Exceptions").
 *
 * @returns the number of reopened ones.
 */
export async function reopenKnownGaps(deps: ServiceStepDeps, signal: AbortSignal): Promise<number> {
  let reopened = 0;
  while (!signal.aborted) {
    const over = await deps.exceptions.gapsOver(deps.clock.nowMs(), REOPENED_AT_ONCE);
    for (const exception of over) {
      const steps = exceptionSteps(deps, serviceItself(deps.ids), exception.tenant_id);
      const line = { note: 'the time of the known gap is over' };
      // Null: another caller changed it since it was read.
      if (await steps.takeOn(exception, 'reopen', { known_gap: null, assigned_to: null }, { line })) reopened++;
    }
    if (over.length < REOPENED_AT_ONCE) break;
  }
  return reopened;
}
