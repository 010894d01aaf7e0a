import { internalContext } from '../../../../shared/auth/context.js';
import { isoTime } from '../../../../shared/clock/clock.js';
import type { ErasureState } from '../../../../shared/contracts/erasures.js';
import { Problem, problem } from '../../../../shared/errors/problem.js';
import { isIdOf } from '../../../../shared/ids/ids.js';
import { isOverdue } from '../../domain/data-rights/data-right.js';
import { makeConsent } from '../consent/change-consent.js';
import type { StoredDataRight } from '../ports/data-right-store.js';
import type { DataRightEffect } from '../ports/member-effects.js';
import { personOf } from '../records/person-of.js';
import { takeStep } from '../records/take-step.js';
import { type DataRightDeps, kindOf } from './data-right-deps.js';

/** Who the service is where it takes steps by itself. */
const BY_ITSELF = 'data-rights';
/** What a hold or a rule keeps is looked at again so often. */
const LOOK_AGAIN_MS = 24 * 3_600_000;

/**
 * Does what the record says is to be done. Identifiers of what is made were fixed with the step, so that doing it again, after
 * a crash or at once with another, changes nothing.
 */
export async function doWork(
  deps: DataRightDeps,
  { tenant_id, data_right_id, work }: Omit<DataRightEffect, 'id' | 'kind'>,
): Promise<void> {
  if (work === 'PROTECTION') return deps.erasures.halt(tenant_id);
  if (work === 'OVERDUE') return tellOverdue(deps, { tenant_id, data_right_id });
  const standing = isIdOf('dataRight', data_right_id) ? await deps.dataRights(tenant_id).get(data_right_id) : null;
  if (standing?.status !== 'IN_PROGRESS') return;
  if (standing.right === 'ACCESS') await orderBundle(deps, standing);
  if (standing.right === 'RESTRICTION') await restrict(deps, standing);
  if (standing.right === 'ERASURE') await erase(deps, standing);
}

async function orderBundle({ bundleOrders }: DataRightDeps, standing: StoredDataRight): Promise<void> {
  const { tenant_id, member_id, requester, fulfilment } = standing;
  if (fulfilment?.access === undefined) return;
  const { bundle_id } = fulfilment.access;
  const requested_by = requester.name ?? startedBy(standing).keyId;
  await bundleOrders.order(tenant_id, { bundle_id, member_id, requested_by });
}

async function restrict(deps: DataRightDeps, standing: StoredDataRight): Promise<void> {
  const { tenant_id, member_id, requester, fulfilment, id } = standing;
  if (fulfilment?.restriction === undefined) return;
  const { consent_id, purpose, categories, actors } = fulfilment.restriction;
  if ((await deps.consents(tenant_id).get(consent_id)) !== null) return;
  await makeConsent(deps, { workId: null, principal: startedBy(standing) }, tenant_id, consent_id, {
    member_id,
    decision: 'DENY',
    purpose,
    categories,
    actors,
    ...(requester.name === null ? {} : { grantor: requester.name }),
    note: `Restriction asked for by ${id}.`,
  });
}

/** The key whose step it follows from. */
function startedBy({ history, created_by }: StoredDataRight): {
  readonly keyId: string;
  readonly actorId: string | null;
} {
  const step = history.findLast(({ action }) => action === 'start');
  return { keyId: step?.by ?? created_by, actorId: step?.actor_id ?? null };
}

/** One run; what it changed is told in the record, and what is left is looked at again. */
async function erase(deps: DataRightDeps, standing: StoredDataRight): Promise<void> {
  const { tenant_id, member_id, id } = standing;
  const member_ids = await personOf(deps.directory, tenant_id, member_id);
  const state = await deps.erasures.run(tenant_id, { erasure_id: id, member_ids });
  if (!isTold(standing, state)) await report(deps, standing, state);
  const nowMs = deps.clock.nowMs();
  const next = state.complete ? (state.refused.length === 0 ? null : nowMs + LOOK_AGAIN_MS) : nowMs;
  await deps.dataRights(tenant_id).lookAgainAt(id, next === null ? null : new Date(next));
}

async function report(deps: DataRightDeps, { tenant_id, id, right }: StoredDataRight, erasure: ErasureState) {
  const rows = deps.dataRights(tenant_id);
  const context = internalContext(tenant_id, BY_ITSELF);
  const change = (standing: StoredDataRight): StoredDataRight => {
    if (isTold(standing, erasure)) throw problem('CONFLICT', { internal: 'another run has told the same' });
    return { ...standing, fulfilment: { erasure } };
  };
  const asked = { id, action: 'report', revision: undefined };
  await unlessMoved(takeStep({ ...deps, rows }, context, kindOf(right), asked, { change }));
}

const isTold = ({ fulfilment }: StoredDataRight, state: ErasureState): boolean =>
  JSON.stringify(state) === JSON.stringify(fulfilment?.erasure);

/** A step of the service's own that another's has made needless: the request was answered, or changed, meanwhile. */
async function unlessMoved(step: Promise<unknown>): Promise<void> {
  try {
    await step;
  } catch (error) {
    if (!(error instanceof Problem) || (error.code !== 'INVALID_TRANSITION' && error.code !== 'CONFLICT')) throw error;
  }
}

/** Notes that a request is past its day; the exception follows. One that changes meanwhile is left to the next round. */
export async function noteOverdue(
  deps: DataRightDeps,
  { tenant_id, id }: Pick<StoredDataRight, 'tenant_id' | 'id'>,
): Promise<void> {
  const rows = deps.dataRights(tenant_id);
  const found = await rows.get(id);
  if (found === null || found.is_overdue_told || !isOverdue(found, deps.clock.nowMs())) return;
  const effect = { kind: 'data-right', tenant_id, data_right_id: id, work: 'OVERDUE' } as const;
  const asked = { id, action: 'overdue', revision: found.revision };
  const step = takeStep({ ...deps, rows }, internalContext(tenant_id, BY_ITSELF), kindOf(found.right), asked, {
    change: (standing) => ({ ...standing, is_overdue_told: true }),
    effects: () => [{ id: deps.ids.next('effect'), ...effect }],
  });
  await unlessMoved(step);
}

/** The exception is as the record is: read again afterwards, so that of two who tell it the later one is right. */
async function tellOverdue(
  deps: DataRightDeps,
  { tenant_id, data_right_id }: Pick<DataRightEffect, 'tenant_id' | 'data_right_id'>,
): Promise<void> {
  const rows = deps.dataRights(tenant_id);
  const isLate = (record: StoredDataRight | null): boolean =>
    record !== null && isOverdue(record, deps.clock.nowMs()) && record.is_overdue_told;
  for (let record = await rows.get(data_right_id); record !== null; ) {
    const told = isLate(record);
    const subject = { data_right_id };
    if (told) {
      const detail = { right: record.right, due_at: isoTime(record.deadline.getTime()) };
      await deps.exceptions.open(tenant_id, { kind: 'DATA_RIGHT_OVERDUE', subject, detail });
    } else {
      const note = 'The request is answered, or has more time.';
      await deps.exceptions.resolve(tenant_id, 'DATA_RIGHT_OVERDUE', subject, note);
    }
    record = await rows.get(data_right_id);
    if (isLate(record) === told) return;
  }
}
