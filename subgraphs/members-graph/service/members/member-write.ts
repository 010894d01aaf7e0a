import { type Clock, isoTime } from '../../../../shared/clock/clock.js';
import { hmacSha256 } from '../../../../shared/crypto/hash.js';
import type { MasterKey } from '../../../../shared/crypto/master-key.js';
import type { Ids } from '../../../../shared/ids/ids.js';
import { canonicalJson } from '../../../../shared/json/canonical.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import { type LedgerEntryEffect, ledgerEntryEffect } from '../../../../shared/outbox/pending-effect.js';
import { transition } from '../../../../shared/state-machine/state-machine.js';
import { differing } from '../../domain/members/demographics.js';
import { DEMOGRAPHIC_MEMBERS, MEMBER_MACHINE, type MemberAction } from '../../domain/members/member.js';
import { storedKeys } from '../../domain/members/member-keys.js';
import { type MemberChange, type MemberWrite, type StoredMember, statusOf } from '../ports/member-store.js';
import type { Acting } from './acting.js';

export interface MemberWriteDeps {
  readonly clock: Clock;
  readonly masterKey: MasterKey;
}

export interface MemberStep {
  readonly standing: StoredMember | null;
  readonly member: StoredMember;
  readonly action: MemberAction;
  readonly acting: Acting;
}

/** What is written for a step: the row, its keys, its line of history and its entry in `_records`. */
export function memberWrite(deps: MemberWriteDeps, ids: Pick<Ids, 'next'>, step: MemberStep): MemberWrite {
  const { standing, member, action, acting } = step;
  const from = standing === null ? null : statusOf(standing);
  const before = standing === null ? {} : differing(standing, member);
  const change: MemberChange = {
    member_id: member.member_id,
    revision: member.revision,
    action,
    from,
    to: statusOf(member),
    before,
    other_member_id: null,
    reason: null,
    at: member.updated_at,
    ...acting,
  };
  const entry = recordEntry(deps, ids, change, {
    changed: standing === null ? [] : Object.keys(before).sort(),
    record_hmac: recordHmac(deps, member),
  });
  const kept = { id: ids.next('effect'), kind: 'keep-member-change', tenant_id: member.tenant_id, change } as const;
  return { member, keys: storedKeys(member), pending: [...entry(member.tenant_id), kept] };
}

/**
 * The entry of a change in the ledger. Names of members stand outside of what is personal there: a keyed hash of the id says
 * which record it was, to whoever can ask the service.
 */
export function recordEntry(
  { masterKey }: MemberWriteDeps,
  ids: Pick<Ids, 'next'>,
  { action, from, to, revision, member_id, other_member_id, at, by, actor_id, event_id }: MemberChange,
  more: JsonObject,
): (tenantId: StoredMember['tenant_id']) => readonly LedgerEntryEffect[] {
  return (tenantId) => {
    const ref = (memberId: string): string =>
      hmacSha256(masterKey.derive('member-reference', tenantId), memberId).toString('hex');
    const [eventType] = emitsOf(action, from);
    const effect = ledgerEntryEffect(ids, {
      tenant_id: tenantId,
      source_system: '_records',
      entry: {
        event_family: 'member',
        event_type: eventType ?? `member.${action}`,
        event_effective_timestamp: isoTime(at.getTime()),
        outcome: to,
        payload: {
          action,
          from,
          to,
          member_ref: ref(member_id),
          ...(other_member_id === null ? {} : { other_member_ref: ref(other_member_id) }),
          ...(revision === null ? {} : { revision }),
          ...more,
          by,
          ...(actor_id === null ? {} : { actor_id }),
          ...(event_id === null ? {} : { event_id }),
        },
      },
    });
    return [effect];
  };
}

const emitsOf = (action: MemberAction, from: MemberChange['from']): readonly string[] =>
  // A source corrects a merged record all the same: to the table that is no step of a person's.
  from === 'MERGED' && action === 'update' ? ['member.updated'] : transition(MEMBER_MACHINE, from, action).emits;

/** Lets it be shown later that the directory said just this. */
function recordHmac({ masterKey }: MemberWriteDeps, member: StoredMember): string {
  const said = Object.fromEntries(DEMOGRAPHIC_MEMBERS.map((name) => [name, member[name]]));
  const text = canonicalJson(JSON.parse(JSON.stringify({ ...said, status: member.own_status })) as JsonObject);
  return hmacSha256(masterKey.derive('member-reference', member.tenant_id), text).toString('hex');
}
