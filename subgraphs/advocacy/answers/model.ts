import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { RowStore, type RowStoreDeps } from '../../../shared/records/row-store.js';
import type { AnswerRow, AnswerStore } from './ports.js';

/** Returned answers: hashes and their basis, never the answer. */
export const ANSWERS = declareCollection('advocacy_answers', PENDING_INDEX);

export function mongoAnswerStore(deps: RowStoreDeps): AnswerStore {
  const rows = new RowStore<AnswerRow>(deps, { collection: ANSWERS, id: '_id' });
  return {
    find: (_id) => rows.findOne({ _id }),
    insert: (answer, pending) => rows.insert(answer, pending),
    async markRecorded(_id, entry) {
      const unrecorded = { _id, recorded_entry_id: { $exists: false } };
      return (await rows.update([unrecorded], { $set: { recorded_entry_id: entry.id } }, [entry])) !== null;
    },
  };
}
