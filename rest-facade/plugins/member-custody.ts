import type { RequestContext } from '../../shared/auth/context.js';
import { requireTenant } from '../../shared/auth/context.js';
import { isoTime } from '../../shared/clock/clock.js';
import { custodyActorOf } from '../../shared/custody/custody-entry.js';
import type { Route, RouteServices } from '../route.js';

/**
 * Records a read with a token that a member gave to another person, before the first byte of the answer, one entry per
 * request (api.md section 6). Skips keys, members themselves, HEAD, and routes that record their own reads.
 *
 * @throws UNAVAILABLE: no custody row, no bytes
 */
export async function recordMemberRead(
  { custody, clock }: Pick<RouteServices, 'custody' | 'clock'>,
  route: Pick<Route, 'members' | 'method' | 'path'>,
  context: RequestContext,
  isHead: boolean,
): Promise<void> {
  const { member } = context.principal;
  if (member?.kind !== 'AVA' || route.members?.custody !== 'facade' || route.method !== 'GET' || isHead) return;
  await custody.record(requireTenant(context), [
    {
      action: 'READ_MEMBER_RECORD',
      subject: { kind: 'MEMBER', id: member.member_id },
      member_ids: member.member_ids,
      actor: custodyActorOf(context),
      at: isoTime(clock.nowMs()),
      request_id: context.requestId,
      purpose: member.purpose,
      ...(member.requested_by === null ? {} : { recipient: member.requested_by }),
      detail: { route: route.path },
    },
  ]);
}
