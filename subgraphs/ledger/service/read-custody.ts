import { isoTime } from '../../../shared/clock/clock.js';
import {
  CUSTODY_SUBJECT_KINDS,
  type CustodyAction,
  type CustodyActor,
  type CustodySubject,
  type CustodySubjectKind,
} from '../../../shared/contracts/custody.js';
import type { CustodyFactsPage, MemberCustodyAsked } from '../../../shared/contracts/custody-reads.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import {
  DEFAULT_PAGE_LIMIT,
  decodeCursor,
  encodeCursor,
  type Keyset,
  type Page,
  pageOf,
} from '../../../shared/pagination/cursor.js';
import { ANY_CUSTODY, custodyKeyOf } from '../domain/custody-keys.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import type { CustodyQuery, TenantCustody } from './ports/custody-store.js';
import { DamagedEntry } from './verify-on-read.js';

/** An entry as it was recorded, and its place in the chain. */
export interface CustodyView {
  readonly custody_id: string;
  readonly tenant_id: string;
  readonly action: CustodyAction;
  readonly recorded: 'AUTOMATIC' | 'MANUAL';
  readonly subject: CustodySubject;
  readonly subjects?: readonly CustodySubject[];
  readonly subject_count?: number;
  readonly subjects_root?: string;
  readonly member_ids?: readonly string[];
  readonly actor: CustodyActor;
  readonly at: string;
  readonly purpose?: string;
  readonly recipient?: string;
  readonly sha256_before?: string;
  readonly sha256_after?: string;
  readonly detail?: JsonObject;
  readonly request_id?: string;
  readonly seq: number;
  readonly recorded_at: string;
  readonly prev_hash: string;
  readonly entry_hash: string;
}

export interface CustodyListInput {
  readonly subject_kind?: CustodySubjectKind;
  readonly subject_id?: string;
  readonly action?: CustodyAction;
  readonly actor_id?: string;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly limit?: number;
  readonly cursor?: string;
  readonly order?: 'asc' | 'desc';
}

/** Custody in order of time, oldest first unless told (api.md section 1). @throws VALIDATION_ERROR, INTEGRITY_FAILURE */
export async function listCustody(custody: TenantCustody, input: CustodyListInput): Promise<Page<CustodyView>> {
  const { limit = DEFAULT_PAGE_LIMIT, cursor, order, fromMs, toMs } = input;
  const query: CustodyQuery = {
    keys: keysOf(input),
    limit,
    ascending: order !== 'desc',
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
    ...(cursor === undefined ? {} : { after: decodeCursor(cursor) }),
  };
  const page = pageOf(await custody.list(query), limit, placeOf);
  return { items: page.items.map(custodyView), next_cursor: page.next_cursor };
}

const placeOf = (row: LedgerRow): Keyset => ({ atMs: row.query?.effective_at.getTime() ?? 0, id: row.event_id });

/** Entries of some actions that name one of these members, oldest first. @throws VALIDATION_ERROR, INTEGRITY_FAILURE */
export async function custodyOfMembers(
  custody: TenantCustody,
  { member_ids, actions, from_ms, to_ms, cursor, limit }: MemberCustodyAsked,
): Promise<CustodyFactsPage> {
  const rows = await custody.list({
    keys: [member_ids.map((id) => custodyKeyOf.subject('MEMBER', id)), actions.map(custodyKeyOf.action)],
    fromMs: from_ms,
    toMs: to_ms,
    limit,
    ascending: true,
    ...(cursor === null ? {} : { after: decodeCursor(cursor) }),
  });
  const page = pageOf(rows, limit, placeOf);
  const items = page.items.map((row) => ({ ...custodyView(row), place: encodeCursor(placeOf(row)) }));
  return { items, next_cursor: page.next_cursor };
}

/** The narrowest first: it is what the index is entered by. */
function keysOf({ subject_kind, subject_id, action, actor_id }: CustodyListInput): CustodyQuery['keys'] {
  const keys: string[][] = [];
  if (subject_id !== undefined) {
    const kinds = subject_kind === undefined ? CUSTODY_SUBJECT_KINDS : [subject_kind];
    keys.push(kinds.map((kind) => custodyKeyOf.subject(kind, subject_id)));
  }
  if (actor_id !== undefined) keys.push([custodyKeyOf.actor(actor_id)]);
  if (action !== undefined) keys.push([custodyKeyOf.action(action)]);
  if (subject_id === undefined && subject_kind !== undefined) keys.push([custodyKeyOf.subjectKind(subject_kind)]);
  return keys.length > 0 ? keys : [[ANY_CUSTODY]];
}

/** What leaves is what was recorded: hashed again on every read. @throws INTEGRITY_FAILURE */
export function custodyView(row: LedgerRow): CustodyView {
  const { record, worm_sha256 } = row;
  if (record === undefined || sha256Hex(record) !== worm_sha256) throw new DamagedEntry(row);
  const { tenant_id, source_record_id, event_type, event_effective_timestamp, payload } = JSON.parse(
    record.toString('utf8'),
  ) as CustodyRecordMembers;
  return {
    ...payload,
    custody_id: source_record_id,
    tenant_id,
    action: event_type,
    at: event_effective_timestamp,
    seq: row._id.seq,
    recorded_at: isoTime(row.recorded_at.getTime()),
    prev_hash: row.prev_hash,
    entry_hash: row.entry_hash,
  };
}

/** Of a record of `_custody`, as shared/custody/custody-entry.ts makes it. */
interface CustodyRecordMembers {
  readonly tenant_id: string;
  readonly source_record_id: string;
  readonly event_type: CustodyAction;
  readonly event_effective_timestamp: string;
  readonly payload: Pick<CustodyView, 'recorded' | 'subject' | 'actor'> & Partial<CustodyView>;
}
