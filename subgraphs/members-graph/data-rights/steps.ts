import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { BundleOrders } from '../../../shared/contracts/bundles.js';
import type { Custody, CustodyReads } from '../../../shared/contracts/custody.js';
import type { Erasures } from '../../../shared/contracts/erasures.js';
import type { ExceptionDesk } from '../../../shared/contracts/exceptions.js';
import type { MemberDirectory } from '../../../shared/contracts/members.js';
import { readsOriginals } from '../../../shared/disclosure/originals.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import { type Ids, isIdOf } from '../../../shared/ids/ids.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import {
  type PendingOf,
  type RecordKind,
  type StepDeps,
  type StepOptions,
  stepsOf,
} from '../../../shared/records/steps.js';
import type { KnownDeps } from '../members/index.js';
import { idsOfPerson, parseTime } from '../records/index.js';
import { type DataRight, type DataRightAction, latestExtension, machineOf } from './domain.js';
import type { DataRightEffect, DataRightStore, StoredDataRight } from './ports.js';

export interface DataRightDeps extends StepDeps, KnownDeps {
  readonly dataRights: DataRightStore;
  readonly directory: MemberDirectory;
  readonly bundleOrders: BundleOrders;
  readonly erasures: Erasures;
  readonly custodyReads: CustodyReads;
  readonly custody: Custody;
  readonly exceptions: Pick<ExceptionDesk, 'open' | 'resolve'>;
}

type DataRightEffects = DataRightEffect | PendingEffect;

export const kindOf = (right: DataRight): RecordKind<StoredDataRight, 'data_right_id', DataRightEffects> => ({
  machine: machineOf(right),
  idKind: 'dataRight',
  id: 'data_right_id',
  noun: 'data right',
  family: 'data-right',
  // Member and request are personal: the entry says only that the record changed.
  payload: ({ data_right_id }, step) => ({ data_right_id, ...step }),
  facts: true,
});

const workEffect = (
  ids: Pick<Ids, 'next'>,
  { tenant_id, data_right_id }: Pick<StoredDataRight, 'tenant_id' | 'data_right_id'>,
  work: DataRightEffect['work'],
): DataRightEffect => ({ id: ids.next('effect'), kind: 'data-right', tenant_id, data_right_id, work });

/** Adds one piece of work to the effects of a step. */
export const withWork =
  (work: DataRightEffect['work']): PendingOf<StoredDataRight, DataRightEffects> =>
  (entries, { after, ids }) => [...entries, workEffect(ids, after, work)];

/** Resolves the exception of a missed deadline, if one is open. */
export const resolvingOverdue: PendingOf<StoredDataRight, DataRightEffects> = (entries, taken) =>
  taken.before?.is_overdue_told ? withWork('OVERDUE')(entries, taken) : entries;

export interface StepRequest {
  readonly id: string;
  readonly revision: number | undefined;
}

/** Takes a step by the state table of the right. @returns the record after the effects of the step */
export async function takeStep(
  deps: DataRightDeps,
  context: RequestContext,
  { id, revision }: StepRequest,
  action: DataRightAction,
  options: StepOptions<StoredDataRight, DataRightEffects>,
): Promise<StoredDataRight> {
  const rows = deps.dataRights(authorise(context, 'data-rights:write'));
  const found = isIdOf('dataRight', id) ? await rows.get(id) : null;
  if (found === null) throw problem('NOT_FOUND');
  const stepped = await stepsOf(kindOf(found.right), deps, context, rows).take(id, action, { ...options, revision });
  return (await rows.get(id)) ?? stepped;
}

export const invalid = (...errors: FieldFault[]) => problem('VALIDATION_ERROR', { errors });

/** Records how the requester was verified. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT */
export const verifyDataRight = (
  deps: DataRightDeps,
  context: RequestContext,
  { how, verified_by, ...request }: StepRequest & { readonly how: string; readonly verified_by: string | undefined },
): Promise<StoredDataRight> =>
  takeStep(deps, context, request, 'verify', {
    change: (_before, at) => {
      const { actorId, keyName } = context.principal;
      return { verification: { verified_by: verified_by ?? actorId ?? keyName, how, at } };
    },
  });

/** Extends the deadline once (45 CFR 164.524(b)(2)(iii)). @throws NOT_FOUND, VALIDATION_ERROR, INVALID_TRANSITION, CONFLICT */
export const extendDataRight = (
  deps: DataRightDeps,
  context: RequestContext,
  { reason, to, ...request }: StepRequest & { readonly reason: string; readonly to: string | undefined },
): Promise<StoredDataRight> =>
  takeStep(deps, context, request, 'extend', {
    change: ({ due_at, extended_to: before }) => {
      if (before !== null) throw problem('CONFLICT', { message: 'The deadline of a request can be extended once.' });
      const extended_to = parseTime('/to', to) ?? latestExtension(due_at);
      if (extended_to <= due_at || extended_to > latestExtension(due_at)) {
        throw invalid(fault('/to', 'range', 'Must be after due_at and at most 30 days after it.'));
      }
      return { extended_to, extension_reason: reason, deadline: extended_to, is_overdue_told: false };
    },
    pending: resolvingOverdue,
  });

/** Denies a request. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT */
export const denyDataRight = (
  deps: DataRightDeps,
  context: RequestContext,
  { ground, ...request }: StepRequest & { readonly ground: string },
): Promise<StoredDataRight> =>
  takeStep(deps, context, request, 'deny', {
    change: () => ({ denial_ground: ground, is_overdue_told: false, next_look_at: null }),
    pending: resolvingOverdue,
  });

/** Records a member's disagreement with a denied amendment (45 CFR 164.526(d)). @throws NOT_FOUND, VALIDATION_ERROR, INVALID_TRANSITION */
export const disagreeDataRight = (
  deps: DataRightDeps,
  context: RequestContext,
  { eventId, ...request }: StepRequest & { readonly eventId: string },
): Promise<StoredDataRight> =>
  takeStep(deps, context, request, 'disagree', {
    change: async (before) => {
      await requireOwnEvents(deps, context, before, [['/statement_of_disagreement_event_id', [eventId]]]);
      return {
        fulfilment: { amendment: { ...before.fulfilment?.amendment, statement_of_disagreement_event_id: eventId } },
      };
    },
  });

/**
 * Requires that events exist, belong to the member and are readable.
 *
 * @param named paths in the body with their event ids
 * @throws VALIDATION_ERROR
 */
export async function requireOwnEvents(
  deps: Pick<DataRightDeps, 'eventReads' | 'directory'>,
  { principal }: RequestContext,
  { tenant_id, member_id }: StoredDataRight,
  named: readonly (readonly [path: string, eventIds: readonly string[]])[],
): Promise<void> {
  const person = new Set(await idsOfPerson(deps.directory, tenant_id, member_id));
  const sight = { unredacted: readsOriginals(principal) };
  const faults: FieldFault[] = [];
  for (const [path, eventIds] of named) {
    for (const eventId of eventIds) {
      const event = isIdOf('event', eventId) ? await deps.eventReads.byId(tenant_id, eventId, sight) : null;
      if (event === null || event.member_id === null || !person.has(event.member_id)) {
        faults.push(fault(path, 'unknown', 'The member has no event with this identifier.'));
      }
    }
  }
  if (faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
}
