import type { CustodySubjectKind } from '../../../../shared/contracts/custody.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';

// Keys that find custody entries. One index over one list of keys answers every query of the API: by subject, member,
// action or actor, or all entries of a tenant, each in order of time.

export const ANY_CUSTODY = '*';
export const custodyKeyOf = {
  subject: (kind: string, id: string): string => `${kind}/${id}`,
  subjectKind: (kind: string): string => `kind:${kind}`,
  action: (action: string): string => `action:${action}`,
  actor: (id: string): string => `actor:${id}`,
} as const;

const MEMBER: CustodySubjectKind = 'MEMBER';

/** Returns the keys of the custody entry in an envelope of `_custody` (made by shared/custody/custody-entry.ts). */
export function custodyKeysOf(envelope: JsonObject): string[] {
  const { payload, event_type } = envelope;
  const { subject, subjects, member_ids, actor } = isJsonObject(payload) ? payload : {};
  const keys = new Set<string>([ANY_CUSTODY, custodyKeyOf.action(String(event_type))]);
  for (const each of [subject, ...listOf(subjects)]) {
    if (!isJsonObject(each)) continue;
    keys.add(custodyKeyOf.subject(String(each['kind']), String(each['id'])));
    keys.add(custodyKeyOf.subjectKind(String(each['kind'])));
  }
  for (const memberId of listOf(member_ids)) keys.add(custodyKeyOf.subject(MEMBER, String(memberId)));
  if (isJsonObject(actor)) keys.add(custodyKeyOf.actor(String(actor['id'])));
  return [...keys];
}

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);
