import type { Db, Document } from 'mongodb';
import type { RecordState, StateRows } from '../../../../shared/facts/record-states.js';
import { jsonOf } from '../../../../shared/facts/state-json.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { shortText } from '../../../../shared/json/short-text.js';
import { malformed, stateOfRow, strayRow } from '../../../../shared/records/check-rows.js';
import type { MemberReference } from '../../records/index.js';
import { MEMBERS, MERGES } from './members.js';
import { entryOf, idOf, type MergeDocument, ORDER_KEY, stateOf } from './merge-order.js';

// The rows of merges, for verification. Their numbers have no gaps, so that a missing row is noticed.

/** One row for each fact of the tenant's order. */
export const mergeStates = (db: Db): StateRows => {
  const rows = db.collection<Document>(MERGES.name);
  return {
    collection: MERGES.name,
    form: 'EACH',
    page: async (tenantId, after, limit) => {
      const beside =
        after === null
          ? await rows.find({ tenant_id: tenantId, number: { $not: { $type: 'number' } } }, { limit }).toArray()
          : [];
      const { found, next } = await mergesAfter(db, tenantId, after, limit);
      const states = found.flatMap((row, i) => [
        ...gapBefore(row, found[i - 1]?.number ?? Number(after ?? 0)),
        stateOfMerge(tenantId, row),
      ]);
      const last = next === null ? lastOf(states.at(-1)) : [];
      return { rows: [...beside.map(({ _id }) => strayRow(_id)), ...states, ...last], next };
    },
  };
};

/** Rows in the order of their numbers. */
async function mergesAfter(db: Db, tenantId: TenantId, after: string | null, limit: number) {
  const filter = { tenant_id: tenantId, number: { $gt: Number(after ?? -Infinity) } };
  const options = { sort: { number: 1 }, limit, batchSize: limit + 1 } as const;
  const found = await db.collection<MergeDocument>(MERGES.name).find(filter, options).toArray();
  return { found, next: found.length < limit ? null : String(found.at(-1)?.number) };
}

const MAX_GAPS = 1_000;

/** The numbers between two rows. */
function gapBefore({ number }: MergeDocument, before: number): readonly RecordState[] {
  const count = Math.min(MAX_GAPS, Math.max(0, Math.ceil(number) - before - 1));
  return Array.from({ length: count }, (_, i) => gone(String(before + 1 + i), MERGES.name));
}

const gone = (id: string, collection: string): RecordState => ({
  id,
  collection,
  fact: null,
  state: null,
  field: null,
  mark: 'GONE',
});

function stateOfMerge(tenantId: TenantId, row: MergeDocument): RecordState {
  const id = shortText(row.number);
  if (row._id !== idOf(tenantId, row.number)) return malformed(id, '_id');
  return { ...stateOfRow(id, row, { stateOf: (one: MergeDocument) => stateOf(entryOf(one)) }), subject: ORDER_KEY };
}

/** Asks for facts behind the last row; a malformed row does not say where it is. */
function lastOf(last: RecordState | undefined): readonly RecordState[] {
  if (last !== undefined && last.field !== null) return [];
  const id = String(Number(last?.id ?? 0) + 1);
  return [{ id, subject: ORDER_KEY, fact: last?.fact ?? null, state: {}, field: null, mark: 'LAST' }];
}

/** One row for each member: the record that it is merged into. */
export function memberStates(db: Db, referenceOf: MemberReference): StateRows {
  const rows = db.collection<Document & { readonly _id: string }>(MEMBERS.name);
  return {
    collection: MEMBERS.name,
    form: 'LATEST',
    page: async (tenantId, after, limit) => {
      const within = { $gt: after ?? `${tenantId}/`, $lt: `${tenantId}0` };
      const options = { projection: SHOWN, sort: { _id: 1 }, limit, batchSize: limit + 1 } as const;
      const found = await rows.find({ _id: within }, options).toArray();
      const strays =
        after === null
          ? await rows.find({ tenant_id: tenantId, _id: { $not: { $type: 'string' } } }, { limit }).toArray()
          : [];
      return {
        rows: [
          ...strays.map(({ _id }) => strayRow(_id)),
          ...found.map((row) => stateOfMember(row, tenantId, referenceOf)),
        ],
        next: found.length < limit ? null : (found.at(-1)?._id ?? null),
      };
    },
  };
}

const SHOWN = { tenant_id: 1, member_id: 1, merged_into: 1, status: 1, own_status: 1 } as const;

function stateOfMember(row: Document, tenantId: TenantId, referenceOf: MemberReference): RecordState {
  const { _id, tenant_id, member_id, merged_into, status, own_status } = row;
  const id = referenceOf(tenantId, String(_id).slice(tenantId.length + 1));
  if (tenant_id !== tenantId) return malformed(id, 'tenant_id');
  if (typeof member_id !== 'string' || _id !== `${tenantId}/${member_id}`) return malformed(id, 'member_id');
  const isShown = status === (merged_into === null ? own_status : 'MERGED');
  const differing = isShown ? {} : { differing: ['status'] };
  const isAbsent = merged_into === undefined;
  return {
    id,
    fact: null,
    state: { merged_into: jsonOf(merged_into) },
    field: isAbsent ? 'merged_into' : null,
    ...differing,
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** The members that a merge names and that have no row. */
export function mergedMembers(db: Db, referenceOf: MemberReference): StateRows {
  const members = db.collection<Document & { readonly _id: string }>(MEMBERS.name);
  return {
    collection: MEMBERS.name,
    form: 'LATEST',
    page: async (tenantId, after, limit) => {
      const { found, next } = await mergesAfter(db, tenantId, after, limit);
      // A row that names something else is malformed, which `mergeStates` says.
      const named = [...new Set(found.flatMap(({ source_id, target_id }) => [source_id, target_id]).filter(isText))];
      const ids = named.map((memberId) => `${tenantId}/${memberId}`);
      const stored = await members
        .find({ _id: { $in: ids } }, { projection: { _id: 1 }, batchSize: ids.length + 1 })
        .toArray();
      const known = new Set(stored.map(({ _id }) => _id));
      const missing = named.filter((memberId) => !known.has(`${tenantId}/${memberId}`));
      return { rows: missing.map((memberId) => gone(referenceOf(tenantId, memberId), MEMBERS.name)), next };
    },
  };
}
