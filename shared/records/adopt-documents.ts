import type { Db } from 'mongodb';
import type { AdoptableRow, AdoptableRows, AdoptedState } from '../facts/adoption.js';
import type { TenantId } from '../ids/tenant.js';
import { shortText } from '../json/short-text.js';
import type { Effect } from '../outbox/pending-effect.js';
import { packed } from './projected-row.js';
import { type RecordDocument, rowOfDocument } from './record-document.js';
import type { RecordStoreOptions } from './record-store.js';
import { type RowChangeOfFact, type RowFacts, stateOf } from './row-facts.js';
import type { MembersOf, SteppedRow } from './stored.js';

type Options<Row extends SteppedRow, E extends Effect> = RecordStoreOptions<Row, E> & {
  readonly facts: RowFacts<Row>;
};

/** The documents of a collection, for the command that adopts rows of earlier versions. */
export const adoptableDocuments = <Row extends SteppedRow, E extends Effect>(
  db: Db,
  options: Options<Row, E>,
): AdoptableRows => ({
  collection: options.collection.name,
  rows: async function* (tenantId) {
    const documents = db.collection<RecordDocument>(options.collection.name, { promoteBuffers: true });
    for await (const document of documents.find({ tenant_id: tenantId }, { sort: { _id: 1 } })) {
      yield adoptableRow(tenantId, document, options);
    }
  },
});

function adoptableRow<Row extends SteppedRow, E extends Effect>(
  tenantId: TenantId,
  document: RecordDocument,
  options: Options<Row, E>,
): AdoptableRow {
  const { id, hidden, check, follows } = options;
  const row = rowOfDocument<Row>(document, id, hidden);
  // The row may hold anything.
  const [_id, createdAt]: readonly unknown[] = [document._id, row.created_at];
  return {
    id: typeof _id === 'string' ? _id : null,
    key: shortText(_id),
    fact: row.fact,
    createdAt: createdAt instanceof Date ? createdAt : null,
    adopted: async () => {
      check?.({ ...row });
      const after = (await follows?.adopted(tenantId, row)) ?? row;
      return [adoptionOf(options, row, after)];
    },
  };
}

/** @throws TypeError for a row without a history. */
function adoptionOf<Row extends SteppedRow, E extends Effect>(
  { id, facts }: Options<Row, E>,
  row: Row,
  after: Row,
): AdoptedState {
  const { history, fact: _, ...rest } = after;
  const line = history.at(-1);
  if (line === undefined) throw new TypeError('a row has no history');
  const members: Record<string, unknown> = { ...rest };
  delete members[id];
  const found = after === row ? {} : { found: stateOf(facts, row, row.history) };
  // TypeScript does not know that the rest of a row are its members.
  const set = members as Partial<MembersOf<Row>>;
  const change: RowChangeOfFact<Row> = { set, earlier: history.slice(0, -1), line, pending: [], ...found };
  const refs = facts.refs === undefined ? [] : [...new Set(facts.refs(after))];
  return { state: stateOf(facts, after, history), row: packed(change), refs };
}
