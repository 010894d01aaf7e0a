import type { Condition, Db } from 'mongodb';
import { FactPlace } from '../../../../shared/facts/fact.js';
import type { RecordState, StateRows } from '../../../../shared/facts/record-states.js';
import { jsonOf } from '../../../../shared/facts/state-json.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { malformed, rowStates, stateOfRow, strayRow } from '../../../../shared/records/check-rows.js';
import { rowOfDocument } from '../../../../shared/records/record-document.js';
import type { MemberReference } from '../../records/index.js';
import type { StoredConsent } from '../ports.js';
import { CONSENT_HEADS, CONSENTS, type ConsentDocument, type HeadRow, headId, recordOf } from './member-consents.js';

// The rows of consents, for verification. The row of a member names each consent, and so tells which rows are missing.

/** One row for each member with consents, and the names of the consents without a row. */
export function headStates(db: Db, referenceOf: MemberReference): StateRows {
  const collection = CONSENT_HEADS.name;
  const heads = rowStates<HeadRow>({
    db,
    collection,
    form: 'SET',
    by: 'ref',
    stateOf: ({ consent_ids }) => ({
      consent_ids: Array.isArray(consent_ids) ? consent_ids.map(String).sort() : jsonOf(consent_ids),
    }),
    columnsOf: ({ tenant_id, member_id }) => ({
      _id: headId(tenant_id, member_id),
      ref: typeof member_id === 'string' ? referenceOf(tenant_id, member_id) : null,
    }),
  });
  const rows = db.collection<ConsentDocument>(CONSENTS.name);
  const missingOf = async (tenant_id: TenantId, states: readonly RecordState[]): Promise<readonly RecordState[]> => {
    const named = states.flatMap(({ id, state }) =>
      textsIn(state?.['consent_ids']).map((consentId) => [consentId, id]),
    );
    const _id = { $in: named.map(([consentId = '']) => consentId) };
    const options = { projection: { _id: 1 }, batchSize: named.length + 1 } as const;
    const found = named.length === 0 ? [] : await rows.find({ _id, tenant_id }, options).toArray();
    const stored = new Set(found.map((row) => row._id));
    return named.flatMap(([id = '', subject = '']): RecordState[] =>
      stored.has(id)
        ? []
        : [{ id, subject, fact: null, state: null, field: null, collection: CONSENTS.name, mark: 'GONE' }],
    );
  };
  return {
    ...heads,
    page: async (tenantId, after, limit) => {
      const page = await heads.page(tenantId, after, limit);
      return { ...page, rows: [...page.rows, ...(await missingOf(tenantId, page.rows))] };
    },
  };
}

const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** One row for each consent. */
export function consentStates(db: Db, referenceOf: MemberReference): StateRows {
  const rows = db.collection<ConsentDocument>(CONSENTS.name);
  const heads = db.collection<HeadRow>(CONSENT_HEADS.name);
  const find = (tenant_id: TenantId, _id: Condition<string>, limit: number) =>
    rows.find({ tenant_id, _id }, { sort: { _id: 1 }, limit, batchSize: limit + 1 }).toArray();
  const headsOf = async (tenant_id: TenantId, documents: readonly object[]) => {
    const names = documents.flatMap((document) => memberIn(document) ?? []);
    const _id = { $in: [...new Set(names)].map((name) => headId(tenant_id, name)) };
    const found = names.length === 0 ? [] : await heads.find({ _id, tenant_id }).toArray();
    return new Map(found.map((head) => [head.member_id, FactPlace.safeParse(head.fact).data ?? null]));
  };
  return {
    collection: CONSENTS.name,
    form: 'RECORD',
    page: async (tenantId, after, limit) => {
      const strays = after === null ? await find(tenantId, { $not: { $type: 'string' } }, limit) : [];
      const listed = await find(tenantId, { $gt: after ?? '' }, limit);
      // A fact moves the head last: rows that are read after the heads are not behind them.
      const places = await headsOf(tenantId, listed);
      const ids = listed.map(({ _id }) => _id);
      const found = ids.length === 0 ? [] : await find(tenantId, { $in: ids }, limit);
      const states = found.map((document): RecordState => {
        const member = memberIn(document);
        if (member === null) return malformed(document._id, 'member_id');
        const stateOf = (row: ConsentDocument) => recordOf(rowOfDocument<StoredConsent>(row, 'consent_id'));
        const state = stateOfRow(document._id, document, { stateOf });
        return { ...state, subject: referenceOf(tenantId, member), head: places.get(member) ?? null };
      });
      const next = listed.length < limit ? null : (ids.at(-1) ?? null);
      return { rows: [...strays.map(({ _id }) => strayRow(_id)), ...states], next };
    },
  };
}

const memberIn = (document: object): string | null =>
  'member_id' in document && typeof document.member_id === 'string' ? document.member_id : null;
