import { authorise, type RequestContext, requireTenant } from '../../../shared/auth/context.js';
import type { HeldScope } from '../../../shared/auth/scopes.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { CustodyAction } from '../../../shared/contracts/custody.js';
import type { ActorDirectory } from '../../../shared/contracts/tenants.js';
import { custodyActorOf, custodyEffect } from '../../../shared/custody/custody-entry.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { type RecordKind, type StepDeps, type StepTaken, stepsOf } from '../../../shared/records/steps.js';
import type { VaultEffect } from '../documents/index.js';
import type { HoldStore } from '../holds/index.js';
import { MAX_REMINDERS, NOTICE_MACHINE, type NoticeAction } from './domain.js';
import type { NoticeStore, StoredNotice } from './ports.js';
import type { HoldNoticeMembers } from './schema.js';

export interface NoticeDeps extends StepDeps {
  readonly notices: NoticeStore;
  readonly holds: HoldStore;
  readonly actorDirectory: ActorDirectory;
}

/** The payload leaves out custodian and text, which name people. Custody names the custodian. */
const NOTICE: RecordKind<StoredNotice, 'notice_id', VaultEffect> = {
  machine: NOTICE_MACHINE,
  idKind: 'holdNotice',
  id: 'notice_id',
  noun: 'notice',
  family: 'hold-notice',
  facts: true,
  payload: ({ notice_id, hold_id }, step) => ({ notice_id, hold_id, ...step }),
};

const ACTS = {
  create: 'NOTIFY',
  remind: 'NOTIFY',
  share: 'SHARE',
  acknowledge: 'ACKNOWLEDGE',
  withdraw: 'WITHDRAW',
} as const satisfies Record<NoticeAction, CustodyAction>;

/**
 * The steps of notices as a request takes them, each with its custody.
 *
 * @param scope that the caller needs; absent where the caller of this function checks the rights.
 */
export function noticeSteps(deps: NoticeDeps, context: RequestContext, scope?: HeldScope) {
  if (scope !== undefined) authorise(context, scope);
  const steps = stepsOf(NOTICE, deps, context, deps.notices.forTenant(requireTenant(context)));
  const pending = (entries: readonly VaultEffect[], { after, action, at, ids }: StepTaken<StoredNotice>) => [
    ...entries,
    custodyEffect(ids, after.tenant_id, {
      action: ACTS[action],
      subject: { kind: 'HOLD', id: after.hold_id },
      actor: custodyActorOf(context),
      at: isoTime(at.getTime()),
      request_id: context.requestId,
      recipient: after.custodian,
      detail: { notice_id: after.notice_id, reminders: after.reminders, revision: after.revision },
    }),
  ];
  return { steps, options: { pending } };
}

const DAY_MS = 86_400_000;

/**
 * Makes a notice to a custodian of an active hold. Leaves custody NOTIFY.
 *
 * @throws NOT_FOUND for an unknown hold, CONFLICT for a released one, VALIDATION_ERROR for an actor who cannot acknowledge
 */
export async function giveNotice(
  deps: NoticeDeps,
  context: RequestContext,
  holdId: string,
  { days, ...members }: HoldNoticeMembers & { readonly days: number },
): Promise<StoredNotice> {
  authorise(context, 'holds:write');
  await requireActive(deps, context, holdId);
  const { steps, options } = noticeSteps(deps, context);
  const noLink = { link_expires_at: null, link_sha256: null, link_grantor: null };
  const fresh = { ...noLink, reminders: 0, reminded_at: null, acknowledged_at: null, how: null };
  const made = async (_id: string, at: Date) => {
    await requireCustodian(deps, context, members.custodian_id);
    return { ...members, ...fresh, hold_id: holdId, due_at: new Date(at.getTime() + days * DAY_MS) };
  };
  return steps.create(made, options);
}

/** A custodian who is an actor alone acknowledges, so the actor must be able to. */
async function requireCustodian(
  { actorDirectory }: NoticeDeps,
  context: RequestContext,
  custodianId: string | null,
): Promise<void> {
  if (custodianId === null) return;
  const status = await actorDirectory.statusOf(requireTenant(context), custodianId);
  if (status === 'ACTIVE') return;
  const [code, message] =
    status === null
      ? ['unknown', 'No actor of the tenant has this identifier. Leave it out for a custodian without a key.']
      : ['suspended', 'This actor is suspended and could not acknowledge.'];
  throw problem('VALIDATION_ERROR', { errors: [fault('/custodian_id', code, message)] });
}

/** @throws NOT_FOUND, CONFLICT for a released hold */
export async function requireActive({ holds }: NoticeDeps, context: RequestContext, holdId: string): Promise<void> {
  const hold = isIdOf('hold', holdId) ? await holds.forTenant(requireTenant(context)).get(holdId) : null;
  if (hold === null) throw problem('NOT_FOUND');
  if (hold.status !== 'ACTIVE') throw problem('CONFLICT', { message: 'The hold is released; it needs no notice.' });
}

/** Lists the notices of a hold. @returns null for an unknown hold */
export async function listNotices(
  deps: NoticeDeps,
  context: RequestContext,
  holdId: string,
  query: ListQuery<StoredNotice>,
): Promise<Page<StoredNotice> | null> {
  const tenantId = authorise(context, 'holds:read');
  const isKnown = isIdOf('hold', holdId) && (await deps.holds.forTenant(tenantId).get(holdId)) !== null;
  return isKnown ? deps.notices.forTenant(tenantId).pageOf({ hold_id: holdId }, query) : null;
}

/** Lists the notices to the actor of the caller, of every hold. @throws FORBIDDEN for a caller without an actor */
export async function ownNotices(
  deps: NoticeDeps,
  context: RequestContext,
  query: ListQuery<StoredNotice>,
): Promise<Page<StoredNotice>> {
  const { actorId, member } = context.principal;
  if (actorId === null || member !== undefined) {
    throw problem('FORBIDDEN', { message: 'Only an actor has notices, and this key has none.' });
  }
  return deps.notices.forTenant(requireTenant(context)).pageOf({ custodian_id: actorId }, query);
}

/** Notes that the custodian was reminded. Leaves custody NOTIFY. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT */
export async function remind(deps: NoticeDeps, context: RequestContext, noticeId: string): Promise<StoredNotice> {
  const { steps, options } = noticeSteps(deps, context, 'holds:write');
  const change = async ({ hold_id, reminders }: StoredNotice, at: Date) => {
    await requireActive(deps, context, hold_id);
    if (reminders >= MAX_REMINDERS) throw problem('CONFLICT', { message: `A notice has ${MAX_REMINDERS} reminders.` });
    return { reminders: reminders + 1, reminded_at: at };
  };
  return steps.take(noticeId, 'remind', { change, ...options });
}

/** Withdraws a notice without an acknowledgement. Leaves custody WITHDRAW. @throws NOT_FOUND, INVALID_TRANSITION */
export async function withdraw(deps: NoticeDeps, context: RequestContext, noticeId: string): Promise<StoredNotice> {
  const { steps, options } = noticeSteps(deps, context, 'holds:write');
  return steps.take(noticeId, 'withdraw', options);
}

/**
 * Acknowledges a notice: the custodian's own key or session, or staff for a custodian without an actor. Leaves custody
 * ACKNOWLEDGE.
 *
 * @throws NOT_FOUND, also for a caller who may not see the notice; FORBIDDEN, VALIDATION_ERROR, INVALID_TRANSITION
 */
export async function acknowledge(
  deps: NoticeDeps,
  context: RequestContext,
  noticeId: string,
  how: string | null,
): Promise<StoredNotice> {
  const { steps, options } = noticeSteps(deps, context);
  const { custodian_id } = await steps.read(noticeId);
  const { actorId, scopes, member } = context.principal;
  const isOwn = custodian_id !== null && custodian_id === actorId && member === undefined;
  if (!isOwn) {
    if (!scopes.has('holds:read')) throw problem('NOT_FOUND');
    if (custodian_id !== null) throw problem('FORBIDDEN', { message: 'Only the custodian acknowledges this notice.' });
    authorise(context, 'holds:write');
    if (how === null) {
      const errors = [fault('/how', 'required', 'Must say how a custodian without an actor acknowledged.')];
      throw problem('VALIDATION_ERROR', { errors });
    }
  }
  const change = (_before: StoredNotice, at: Date) => ({ acknowledged_at: at, how: isOwn ? null : how });
  return steps.take(noticeId, 'acknowledge', { change, ...options });
}
