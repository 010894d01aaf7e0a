import { declareCollection } from '../../../shared/records/collections.js';
import { RowStore, type RowStoreDeps } from '../../../shared/records/row-store.js';
import type { StoredView, ViewStore } from './ports.js';

export const SAVED_VIEWS = declareCollection(
  'saved_views',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, owner: 1, screen: 1, name: 1 }, { unique: true }],
);

/** Opens the views of a tenant; every filter starts with the tenant. */
export function viewStore({ db }: Pick<RowStoreDeps, 'db'>): ViewStore {
  const rows = new RowStore<StoredView>({ db }, { collection: SAVED_VIEWS, id: 'view_id' });
  return (tenant_id) => ({
    insert: (view) => rows.insert(view, []),
    get: (_id) => rows.findOne({ tenant_id }, { _id }),
    page: (owner, query) => rows.page(query, { tenant_id }, { $or: [{ owner }, { shared: true }] }),
    countOf: (owner) => rows.documents.countDocuments({ tenant_id, owner }),
    async delete(_id) {
      await rows.documents.deleteOne({ tenant_id, _id });
    },
  });
}
