import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { type FieldFault, fault, problem } from '../../../../shared/errors/problem.js';
import { isIdOf } from '../../../../shared/ids/ids.js';
import { type DataRightAction, latestExtension } from '../../domain/data-rights/data-right.js';
import type { StoredDataRight } from '../ports/data-right-store.js';
import type { DataRightEffect, MembersEffect } from '../ports/member-effects.js';
import { timeAt } from '../records/given-times.js';
import { takeStep } from '../records/take-step.js';
import { type DataRightDeps, kindOf } from './data-right-deps.js';
import { amendingEvents } from './judge-events.js';

export interface StepGiven {
  readonly id: string;
  readonly revision: number | undefined;
}

/** What is to be done for a record, whatever it says by then. */
export const workOf = (
  { ids }: Pick<DataRightDeps, 'ids'>,
  { tenant_id, id }: StoredDataRight,
  work: DataRightEffect['work'],
): DataRightEffect => ({ id: ids.next('effect'), kind: 'data-right', tenant_id, data_right_id: id, work });

interface StepTaken {
  readonly change: (standing: StoredDataRight) => StoredDataRight | Promise<StoredDataRight>;
  readonly effects?: (changed: StoredDataRight, standing: StoredDataRight) => readonly MembersEffect[];
}

/** Takes a step by the table of the record's right. @returns the record as it is when what follows from the step is done */
export async function stepOf(
  deps: DataRightDeps,
  context: RequestContext,
  { action, ...given }: StepGiven & { readonly action: DataRightAction },
  taken: StepTaken,
): Promise<StoredDataRight> {
  const rows = deps.dataRights(authorise(context, 'data-rights:write'));
  const found = isIdOf('dataRight', given.id) ? await rows.get(given.id) : null;
  if (found === null) throw problem('NOT_FOUND');
  const record = await takeStep({ ...deps, rows }, context, kindOf(found.right), { ...given, action }, taken);
  return (await rows.get(record.id)) ?? record;
}

export const refused = (...errors: FieldFault[]) => problem('VALIDATION_ERROR', { errors });

/** The handler has made sure who asks, and that they may. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT */
export const verifyDataRight = (
  deps: DataRightDeps,
  context: RequestContext,
  { how, verified_by, ...given }: StepGiven & { readonly how: string; readonly verified_by: string | undefined },
): Promise<StoredDataRight> =>
  stepOf(
    deps,
    context,
    { ...given, action: 'verify' },
    {
      change: (standing) => {
        const { actorId, keyName } = context.principal;
        const at = new Date(deps.clock.nowMs());
        return { ...standing, verification: { verified_by: verified_by ?? actorId ?? keyName, how, at } };
      },
    },
  );

/** More time, once (45 CFR 164.524(b)(2)(iii)). @throws NOT_FOUND, VALIDATION_ERROR, INVALID_TRANSITION, CONFLICT */
export const extendDataRight = (
  deps: DataRightDeps,
  context: RequestContext,
  { reason, to, ...given }: StepGiven & { readonly reason: string; readonly to: string | undefined },
): Promise<StoredDataRight> =>
  stepOf(
    deps,
    context,
    { ...given, action: 'extend' },
    {
      change: (standing) => {
        const { due_at } = standing;
        if (standing.extended_to !== null) {
          throw problem('CONFLICT', { message: 'The time of a request is extended once.' });
        }
        const extended_to = timeAt('/to', to) ?? latestExtension(due_at);
        if (extended_to <= due_at || extended_to > latestExtension(due_at)) {
          throw refused(fault('/to', 'range', 'Must be after due_at, and at most 30 days after it.'));
        }
        return { ...standing, extended_to, extension_reason: reason, deadline: extended_to, is_overdue_told: false };
      },
      effects: (changed, standing) => toldOtherwise(deps, changed, standing),
    },
  );

/** Ends a request without what was asked for. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT */
export const denyDataRight = (
  deps: DataRightDeps,
  context: RequestContext,
  { ground, ...given }: StepGiven & { readonly ground: string },
): Promise<StoredDataRight> =>
  stepOf(
    deps,
    context,
    { ...given, action: 'deny' },
    {
      change: (standing) => ({ ...standing, denial_ground: ground, is_overdue_told: false, next_look_at: null }),
      effects: (changed, standing) => toldOtherwise(deps, changed, standing),
    },
  );

/** Whoever was denied an amendment may say so on the record (45 CFR 164.526(d)). @throws NOT_FOUND, VALIDATION_ERROR, INVALID_TRANSITION */
export const disagreeDataRight = (
  deps: DataRightDeps,
  context: RequestContext,
  { eventId, ...given }: StepGiven & { readonly eventId: string },
): Promise<StoredDataRight> =>
  stepOf(
    deps,
    context,
    { ...given, action: 'disagree' },
    {
      change: async (standing) => {
        await amendingEvents(deps, context, standing, [['/statement_of_disagreement_event_id', [eventId]]]);
        const amendment = { ...standing.fulfilment?.amendment, statement_of_disagreement_event_id: eventId };
        return { ...standing, fulfilment: { amendment } };
      },
    },
  );

/** Where the exception stands, it follows what the step has changed. */
export const toldOtherwise = (
  deps: DataRightDeps,
  changed: StoredDataRight,
  standing: StoredDataRight,
): readonly MembersEffect[] => (standing.is_overdue_told ? [workOf(deps, changed, 'OVERDUE')] : []);
