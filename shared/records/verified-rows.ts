import type { Effect, PendingEffect } from '../outbox/pending-effect.js';
import { adoptableDocuments } from './adopt-documents.js';
import { rowStates } from './check-rows.js';
import { type RecordDocument, rowOfDocument } from './record-document.js';
import type { RecordStoreDeps, RecordStoreOptions } from './record-store.js';
import { stateOf } from './row-facts.js';
import type { SteppedRow } from './stored.js';

/** Adds the rows of a collection to the verification and to the adoption of rows, for a kind with facts. */
export function verifiesRows<Row extends SteppedRow, E extends Effect = PendingEffect>(
  { db, guard }: Pick<RecordStoreDeps, 'db' | 'guard'>,
  options: RecordStoreOptions<Row, E>,
): void {
  const {
    collection: { name },
    id,
    hidden,
    facts,
  } = options;
  if (facts === undefined || guard === undefined) return;
  const stateOfDocument = (document: RecordDocument) => {
    const row = rowOfDocument<Row>(document, id, hidden);
    return stateOf(facts, row, row.history);
  };
  guard.states(facts.kind, rowStates({ db, collection: name, stateOf: stateOfDocument }));
  guard.adopts(facts.kind, adoptableDocuments(db, { ...options, facts }));
}
