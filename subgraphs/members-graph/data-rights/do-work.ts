import { isoTime } from '../../../shared/clock/clock.js';
import type { ErasureState } from '../../../shared/contracts/erasures.js';
import { Problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { RecordSteps, type StepTaker, serviceTaker } from '../../../shared/records/steps.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { makeConsent } from '../consent/index.js';
import { idsOfPerson } from '../records/index.js';
import { isOverdue } from './domain.js';
import type { DataRightEffect, DueDataRight, DueDataRights, StoredDataRight } from './ports.js';
import { type DataRightDeps, kindOf, withWork } from './steps.js';

/** Key of the steps that the service takes. */
const SERVICE_KEY = 'service:data-rights';
/** Interval of attempts to erase what a hold or a rule retains. */
const RETRY_ERASURE_MS = 24 * 3_600_000;

/** Does the work of a record. Idempotent: the step that led here fixed the identifiers of everything it creates. */
export async function doWork(
  deps: DataRightDeps,
  { tenant_id, data_right_id, work }: Omit<DataRightEffect, 'id' | 'kind'>,
): Promise<void> {
  if (work === 'PROTECTION') return deps.erasures.halt(tenant_id);
  if (work === 'OVERDUE') return reportOverdue(deps, { tenant_id, data_right_id });
  const current = isIdOf('dataRight', data_right_id) ? await deps.dataRights(tenant_id).get(data_right_id) : null;
  if (current?.status !== 'IN_PROGRESS') return;
  if (current.right === 'ACCESS') await orderBundle(deps, current);
  if (current.right === 'RESTRICTION') await restrict(deps, current);
  if (current.right === 'ERASURE') await erase(deps, current);
}

async function orderBundle({ bundleOrders }: DataRightDeps, current: StoredDataRight): Promise<void> {
  const { tenant_id, member_id, requester, fulfilment } = current;
  if (fulfilment?.access === undefined) return;
  const { bundle_id } = fulfilment.access;
  await bundleOrders.order(tenant_id, { bundle_id, member_id, requested_by: requester.name ?? startedBy(current).by });
}

async function restrict(deps: DataRightDeps, current: StoredDataRight): Promise<void> {
  const { tenant_id, member_id, requester, fulfilment, data_right_id } = current;
  if (fulfilment?.restriction === undefined) return;
  const { consent_id, purpose, categories, actors } = fulfilment.restriction;
  if ((await deps.consents(tenant_id).get(consent_id)) !== null) return;
  const taker: StepTaker = {
    ...startedBy(current),
    work_id: null,
    // The consent has the identifier that the step fixed.
    idsFor: (use) => (use === 'create-consent' ? { next: () => consent_id } : deps.ids),
  };
  await makeConsent(deps, tenant_id, taker, {
    member_id,
    decision: 'DENY',
    purpose,
    categories,
    actors,
    source_document_id: null,
    grantor: requester.name,
    note: `Restriction asked for by ${data_right_id}.`,
  });
}

/** Returns the key and actor that started the work. */
function startedBy({ history, created_by }: StoredDataRight): Pick<StepTaker, 'by' | 'actor_id'> {
  const step = history.findLast(({ action }) => action === 'start');
  return { by: step?.by ?? created_by, actor_id: step?.actor_id ?? null };
}

const serviceSteps = (deps: DataRightDeps, { tenant_id, right }: Pick<StoredDataRight, 'tenant_id' | 'right'>) =>
  new RecordSteps(kindOf(right), {
    clock: deps.clock,
    taker: serviceTaker(deps.ids, SERVICE_KEY),
    rows: deps.dataRights(tenant_id),
  });

/** Runs an erasure once, stores its progress, and schedules the next run. */
async function erase(deps: DataRightDeps, current: StoredDataRight): Promise<void> {
  const { tenant_id, member_id, data_right_id: id } = current;
  const member_ids = await idsOfPerson(deps.directory, tenant_id, member_id);
  const erasure = await deps.erasures.run(tenant_id, { erasure_id: id, member_ids });
  if (!isStored(current, erasure)) {
    const change = (before: StoredDataRight) => (isStored(before, erasure) ? null : { fulfilment: { erasure } });
    await unlessSuperseded(serviceSteps(deps, current).take(id, 'report', { change }));
  }
  const nowMs = deps.clock.nowMs();
  const nextMs = erasure.complete ? (erasure.refused.length === 0 ? null : nowMs + RETRY_ERASURE_MS) : nowMs;
  await deps.dataRights(tenant_id).scheduleCheck(id, nextMs === null ? null : new Date(nextMs));
}

const isStored = ({ fulfilment }: StoredDataRight, erasure: ErasureState): boolean =>
  JSON.stringify(erasure) === JSON.stringify(fulfilment?.erasure);

/** Ignores a step of the service that a concurrent step has made unnecessary. */
async function unlessSuperseded(step: Promise<unknown>): Promise<void> {
  try {
    await step;
  } catch (error) {
    if (!(error instanceof Problem) || (error.code !== 'INVALID_TRANSITION' && error.code !== 'CONFLICT')) throw error;
  }
}

/** Notes a missed deadline; the exception follows. Leaves a request that changes meanwhile to the next run. */
async function noteOverdue(deps: DataRightDeps, { tenant_id, id }: DueDataRight): Promise<void> {
  const found = await deps.dataRights(tenant_id).get(id);
  if (found === null || found.is_overdue_told || !isOverdue(found, deps.clock.nowMs())) return;
  const step = serviceSteps(deps, found).take(id, 'overdue', {
    revision: found.revision,
    change: () => ({ is_overdue_told: true }),
    pending: withWork('OVERDUE'),
  });
  await unlessSuperseded(step);
}

/** Opens or resolves the exception by the current record, until the record no longer changes. */
async function reportOverdue(
  deps: DataRightDeps,
  { tenant_id, data_right_id }: Pick<DataRightEffect, 'tenant_id' | 'data_right_id'>,
): Promise<void> {
  const rows = deps.dataRights(tenant_id);
  const isLate = (record: StoredDataRight | null): boolean =>
    record !== null && isOverdue(record, deps.clock.nowMs()) && record.is_overdue_told;
  for (let record = await rows.get(data_right_id); record !== null; ) {
    const late = isLate(record);
    const subject = { data_right_id };
    if (late) {
      const detail = { right: record.right, due_at: isoTime(record.deadline.getTime()) };
      await deps.exceptions.open(tenant_id, { kind: 'DATA_RIGHT_OVERDUE', subject, detail });
    } else {
      const note = 'The request was answered or extended.';
      await deps.exceptions.resolve(tenant_id, 'DATA_RIGHT_OVERDUE', subject, note);
    }
    record = await rows.get(data_right_id);
    if (isLate(record) === late) return;
  }
}

interface DueDeps extends DataRightDeps {
  readonly due: DueDataRights;
  readonly logger: Logger;
}

/**
 * Runs the job once: notes missed deadlines and continues erasures. A failure does not stop the others, but fails the run.
 *
 * @throws the first failure
 */
export async function checkDueDataRights(deps: DueDeps, signal: AbortSignal): Promise<void> {
  const now = new Date(deps.clock.nowMs());
  let failure: unknown;
  const forEach = async (due: readonly DueDataRight[], work: (one: DueDataRight) => Promise<unknown>) => {
    for (const one of due) {
      if (signal.aborted) return;
      try {
        await work(one);
      } catch (error) {
        deps.logger.error(describeUnexpected(error), 'a data right could not be checked');
        failure ??= error;
      }
    }
  };
  await forEach(await deps.due.overdue(now), (one) => noteOverdue(deps, one));
  await forEach(await deps.due.toContinue(now), ({ tenant_id, id }) =>
    doWork(deps, { tenant_id, data_right_id: id, work: 'FULFILMENT' }),
  );
  if (failure !== undefined) throw failure;
}
