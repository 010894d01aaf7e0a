import type { RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { hmacSha256 } from '../../../shared/crypto/hash.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { type LedgerEntryEffect, ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { memberReference } from '../records/index.js';
import { storedKeys } from './domain/keys.js';
import { DEMOGRAPHIC_MEMBERS, differing, MEMBER_MACHINE, type MemberAction } from './domain/member.js';
import { type MemberChange, type MemberWrite, type StoredMember, statusOf } from './ports.js';

/** The key, actor, request or event behind a change. */
export interface Acting {
  readonly by: string;
  readonly actor_id: string | null;
  readonly work_id: string | null;
  readonly event_id: string | null;
}

export const actingOf = ({ principal, workId }: RequestContext): Acting => ({
  by: principal.keyId,
  actor_id: principal.actorId,
  work_id: workId,
  event_id: null,
});

export interface MemberWriteDeps {
  readonly clock: Clock;
  readonly masterKey: MasterKey;
}

interface MemberStep {
  readonly current: StoredMember | null;
  readonly member: StoredMember;
  readonly action: MemberAction;
  readonly acting: Acting;
}

/** Builds the write of a step: the row, its keys, its history and its `_records` entry. */
export function memberWrite(deps: MemberWriteDeps, ids: Pick<Ids, 'next'>, step: MemberStep): MemberWrite {
  const { current, member, action, acting } = step;
  const from = current === null ? null : statusOf(current);
  const before = current === null ? {} : differing(current, member);
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
    changed: current === null ? [] : Object.keys(before).sort(),
    record_hmac: recordHmac(deps, member),
  });
  const kept = { id: ids.next('effect'), kind: 'keep-member-change', tenant_id: member.tenant_id, change } as const;
  return { member, keys: storedKeys(member), pending: [...entry(member.tenant_id), kept] };
}

/** Builds the ledger entry of a change of a record. */
function recordEntry(
  deps: MemberWriteDeps,
  ids: Pick<Ids, 'next'>,
  change: MemberChange,
  more: JsonObject,
): (tenantId: TenantId) => readonly LedgerEntryEffect[] {
  return (tenantId) => {
    const { at, details, ...entry } = stepOfChange(deps, tenantId, change, more);
    const effect = ledgerEntryEffect(ids, {
      tenant_id: tenantId,
      source_system: '_records',
      entry: { ...entry, event_effective_timestamp: at, payload: details },
    });
    return [effect];
  };
}

/** Describes a change for the ledger. Entries hold nothing personal: a keyed hash refers to the member. */
export function stepOfChange(
  { masterKey }: MemberWriteDeps,
  tenantId: TenantId,
  { action, from, to, revision, member_id, other_member_id, at, by, actor_id, event_id }: MemberChange,
  more: JsonObject,
) {
  const ref = memberReference(masterKey);
  const [eventType] = emitsOf(action, from);
  return {
    event_family: 'member',
    event_type: eventType ?? `member.${action}`,
    at: isoTime(at.getTime()),
    outcome: to,
    details: {
      action,
      from,
      to,
      member_ref: ref(tenantId, member_id),
      ...(other_member_id === null ? {} : { other_member_ref: ref(tenantId, other_member_id) }),
      ...(revision === null ? {} : { revision }),
      ...more,
      by,
      ...(actor_id === null ? {} : { actor_id }),
      ...(event_id === null ? {} : { event_id }),
    },
  };
}

const emitsOf = (action: MemberAction, from: MemberChange['from']): readonly string[] =>
  // Events may update merged records; the state table covers steps of callers only.
  from === 'MERGED' && action === 'update' ? ['member.updated'] : transition(MEMBER_MACHINE, from, action).emits;

/** Hashes the record, as later proof of its content. */
function recordHmac({ masterKey }: MemberWriteDeps, member: StoredMember): string {
  const demographics = Object.fromEntries(DEMOGRAPHIC_MEMBERS.map((name) => [name, member[name]]));
  const text = canonicalJson(JSON.parse(JSON.stringify({ ...demographics, status: member.own_status })));
  return hmacSha256(masterKey.derive('member-reference', member.tenant_id), text).toString('hex');
}
