import { isoTime } from '../../../shared/clock/clock.js';
import {
  CUSTODY_SUBJECT_KINDS,
  type CustodyAction,
  type CustodyFactsPage,
  type CustodySubjectKind,
  type MemberCustodyAsked,
} from '../../../shared/contracts/custody.js';
import {
  DEFAULT_PAGE_LIMIT,
  decodeCursor,
  encodeCursor,
  type Keyset,
  type Page,
  pageOf,
} from '../../../shared/pagination/cursor.js';
import { ANY_CUSTODY, custodyKeyOf, isAltered, type LedgerRow } from '../append/domain/index.js';
import { DamagedEntry } from '../integrity/index.js';
import type { CustodyQuery, TenantCustody } from './ports.js';
import type { CustodyFilter, CustodyRecord } from './schema.js';

/** The chain of custody of one tenant, and the comparison of its entries with the signed tree. */
interface ProvenCustody {
  readonly entries: TenantCustody;
  readonly requireProven: (rows: readonly LedgerRow[]) => Promise<void>;
}

type CustodyListInput = Omit<CustodyFilter, 'from' | 'to'> & {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
};

/**
 * Lists custody in order of time, oldest first by default (api.md section 1).
 *
 * @throws VALIDATION_ERROR, INTEGRITY_FAILURE
 */
export async function listCustody(custody: ProvenCustody, input: CustodyListInput): Promise<Page<CustodyRecord>> {
  const { limit = DEFAULT_PAGE_LIMIT, cursor, order, fromMs, toMs } = input;
  const query: CustodyQuery = {
    keys: keysOf(input),
    limit,
    ascending: order !== 'desc',
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
    ...(cursor === undefined ? {} : { after: decodeCursor(cursor) }),
  };
  const page = pageOf(await provenRows(custody, query), limit, placeOf);
  return { items: page.items.map(custodyView), next_cursor: page.next_cursor };
}

async function provenRows(
  { entries, requireProven }: ProvenCustody,
  query: CustodyQuery,
): Promise<readonly LedgerRow[]> {
  const rows = await entries.list(query);
  await requireProven(rows);
  return rows;
}

/** Acts of one subject that an edge of the graph shows. */
export const MAX_OF_SUBJECT = 50;
/** Acts of many subjects that one read finds; beyond them each subject is read alone. */
const MAX_TOGETHER = 1_000;

/**
 * Lists the newest acts of each of many subjects of one kind, in the order of the subjects.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function custodyOfSubjects(
  custody: ProvenCustody,
  kind: CustodySubjectKind,
  ids: readonly string[],
): Promise<readonly (readonly CustodyRecord[])[]> {
  const newest = async (some: readonly string[], limit: number): Promise<readonly CustodyRecord[]> => {
    const keys = [[...new Set(some)].map((id) => custodyKeyOf.subject(kind, id))];
    return (await provenRows(custody, { keys, limit, ascending: false })).map(custodyView);
  };
  const together = await newest(ids, MAX_TOGETHER);
  if (together.length <= MAX_TOGETHER) {
    return ids.map((id) => together.filter((act) => isOf(act, kind, id)).slice(0, MAX_OF_SUBJECT));
  }
  const found: (readonly CustodyRecord[])[] = [];
  for (const id of ids) found.push((await newest([id], MAX_OF_SUBJECT)).slice(0, MAX_OF_SUBJECT));
  return found;
}

const isOf = ({ subject, subjects = [] }: CustodyRecord, kind: CustodySubjectKind, id: string): boolean =>
  [subject, ...subjects].some((one) => one.kind === kind && one.id === id);

const placeOf = (row: LedgerRow): Keyset => ({ atMs: row.query?.effective_at.getTime() ?? 0, id: row.event_id });

/**
 * Lists entries of some actions that name one of these members, oldest first.
 *
 * @throws VALIDATION_ERROR, INTEGRITY_FAILURE
 */
export async function custodyOfMembers(
  custody: ProvenCustody,
  { member_ids, actions, from_ms, to_ms, cursor, limit }: MemberCustodyAsked,
): Promise<CustodyFactsPage> {
  const rows = await provenRows(custody, {
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

/** The narrowest set first, because it bounds the index scan. */
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

/**
 * Returns the entry as recorded; verifies its hash on every read.
 *
 * @throws INTEGRITY_FAILURE
 */
export function custodyView(row: LedgerRow): CustodyRecord {
  const { record } = row;
  if (record === undefined || isAltered(row)) throw new DamagedEntry(row);
  // The service alone writes this partition, and the bytes match their hash.
  const members: CustodyRecordMembers = JSON.parse(record.toString('utf8'));
  const { tenant_id, source_record_id, event_type, event_effective_timestamp, payload } = members;
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

/** The payload of a record of `_custody`, as shared/custody/custody-entry.ts makes it. */
interface CustodyRecordMembers {
  readonly tenant_id: string;
  readonly source_record_id: string;
  readonly event_type: CustodyAction;
  readonly event_effective_timestamp: string;
  readonly payload: Pick<CustodyRecord, 'recorded' | 'subject' | 'actor'> & Partial<CustodyRecord>;
}
