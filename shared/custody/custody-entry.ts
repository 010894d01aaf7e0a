import type { RequestContext } from '../auth/context.js';
import { CUSTODY_ACTIONS, type CustodyActor, type CustodyEntry, type CustodySubject } from '../contracts/custody.js';
import type { SystemEntry } from '../contracts/system-ledger.js';
import type { Ids } from '../ids/ids.js';
import { CUSTODY_PARTITION, type TenantId } from '../ids/tenant.js';
import type { JsonObject, JsonValue } from '../json/strict-json.js';
import { CompactRange } from '../merkle/compact-range.js';
import { leafHash } from '../merkle/hashes.js';
import { type LedgerEntryEffect, ledgerEntryEffect } from '../outbox/pending-effect.js';

// The form of a custody entry in the ledger (api.md section 4 "Custody"): event_family `custody`, event_type the action,
// source_record_id the custody_id. The custody port and pending effects write it.

const CUSTODY_FAMILY = 'custody';

/** Beyond it an entry names how many there were and their Merkle root. */
export const MAX_LISTED_SUBJECTS = 1_000;

/** An entry of the service's own partition, as the ledger takes it. @param custodyId fixed before the first attempt. */
export const custodySystemEntry = (custodyId: string, entry: CustodyEntry): SystemEntry => ({
  source_system: CUSTODY_PARTITION,
  source_record_id: custodyId,
  ...custodyMembers(entry),
});

/** The entry as a pending effect, for a change that must not exist without its custody; the effect's id names the entry. */
export const custodyEffect = (
  ids: Pick<Ids, 'next'>,
  tenantId: TenantId,
  entry: Omit<CustodyEntry, 'custody_id'>,
): LedgerEntryEffect => ({
  ...ledgerEntryEffect(ids, { tenant_id: tenantId, source_system: CUSTODY_PARTITION, entry: custodyMembers(entry) }),
  id: ids.next('custody'),
});

function custodyMembers(entry: CustodyEntry): Omit<SystemEntry, 'source_system' | 'source_record_id'> {
  const { custody_id: _, action, at, subject, subjects = [], member_ids = [], actor, ...rest } = entry;
  return {
    event_family: CUSTODY_FAMILY,
    event_type: action,
    event_effective_timestamp: at,
    payload: {
      recorded: CUSTODY_ACTIONS[action].recorded,
      subject: { ...subject },
      ...subjectsMember(subjects),
      ...(member_ids.length > 0 ? { member_ids: [...new Set(member_ids)] } : {}),
      actor: { ...actor },
      ...withoutAbsent(rest),
    },
  };
}

const withoutAbsent = (members: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

function subjectsMember(subjects: readonly CustodySubject[]): JsonObject {
  if (subjects.length === 0) return {};
  if (subjects.length <= MAX_LISTED_SUBJECTS) return { subjects: subjects.map((subject) => ({ ...subject })) };
  return { subject_count: subjects.length, subjects_root: subjectsRoot(subjects) };
}

const subjectKey = ({ kind, id }: CustodySubject): string => `${kind}/${id}`;

/** Root of the RFC 6962 tree over `KIND/id` of each subject, in the order given. */
export function subjectsRoot(subjects: readonly CustodySubject[]): string {
  const range = new CompactRange();
  for (const subject of subjects) range.append(leafHash(Buffer.from(subjectKey(subject))));
  return range.root().toString('hex');
}

const SERVICE = 'service:';

/** Who acts in a request. */
export function custodyActorOf({ principal: { actorId, keyId } }: Pick<RequestContext, 'principal'>): CustodyActor {
  if (keyId.startsWith(SERVICE)) return { type: 'SERVICE', id: keyId };
  return actorId === null ? { type: 'KEY', id: keyId } : { type: 'ACTOR', id: actorId, key_id: keyId };
}
