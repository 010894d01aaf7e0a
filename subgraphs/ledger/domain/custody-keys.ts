import type { CustodySubjectKind } from '../../../shared/contracts/custody.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/json/strict-json.js';

// What a custody entry is found by. One list of keys under one index answers every question of the API: by subject, by
// member, by action, by actor, or all of a tenant's, each in order of time.

export const ANY_CUSTODY = '*';
export const custodyKeyOf = {
  subject: (kind: string, id: string): string => `${kind}/${id}`,
  subjectKind: (kind: string): string => `kind:${kind}`,
  action: (action: string): string => `action:${action}`,
  actor: (id: string): string => `actor:${id}`,
} as const;

const MEMBER: CustodySubjectKind = 'MEMBER';

/** Keys of the entry that an envelope of the partition `_custody` holds (shared/custody/custody-entry.ts makes it). */
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
