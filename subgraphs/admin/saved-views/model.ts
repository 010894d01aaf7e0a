import { declareCollection } from '../../../shared/records/collections.js';
import { RowStore, type RowStoreDeps } from '../../../shared/records/row-store.js';
import type { InsertedView, StoredView, ViewStore } from './ports.js';

export const SAVED_VIEWS = declareCollection(
  'saved_views',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, owner: 1, screen: 1, name: 1 }, { unique: true }],
  // Rows of earlier versions have no place.
  [
    { tenant_id: 1, owner: 1, place: 1 },
    { unique: true, partialFilterExpression: { place: { $exists: true } } },
  ],
);

/** Opens the views of a tenant; every filter starts with the tenant. */
export function viewStore({ db }: Pick<RowStoreDeps, 'db'>): ViewStore {
  const rows = new RowStore<StoredView>({ db }, { collection: SAVED_VIEWS, id: 'view_id', hidden: ['place'] });
  return (tenant_id) => ({
    insert: (view, places) => insertInPlace(rows, view, places),
    get: (_id) => rows.findOne({ tenant_id }, { _id }),
    page: (owner, query) => rows.page(query, { tenant_id }, { $or: [{ owner }, { shared: true }] }),
    async delete(_id) {
      await rows.documents.deleteOne({ tenant_id, _id });
    },
  });
}

/** Each view occupies one of its owner's places, which a unique index keeps to one view each. */
async function insertInPlace(rows: RowStore<StoredView>, view: StoredView, places: number): Promise<InsertedView> {
  const { tenant_id, owner } = view;
  // Every attempt that loses its place to another request finds one place fewer, so the loop ends.
  for (;;) {
    const place = freePlace(await placesOf(rows, { tenant_id, owner }), places);
    if (place === null) return 'full';
    const duplicate = await rows.insertDocument(rows.documentOf(view, [], { place }));
    if (duplicate === null) return 'stored';
    if (!duplicate.fields.includes('place')) return 'taken';
  }
}

/** The place of each view of an owner; null for a view of an earlier version. */
async function placesOf(rows: RowStore<StoredView>, filter: object): Promise<readonly (number | null)[]> {
  const found = await rows.documents.find(filter, { projection: { place: 1 } }).toArray();
  return found.map(({ place }) => (typeof place === 'number' ? place : null));
}

/** The lowest free place, or null. Views without a place take the highest ones. */
function freePlace(taken: readonly (number | null)[], places: number): number | null {
  const known = new Set(taken);
  const unplaced = taken.filter((place) => place === null).length;
  for (let place = 0; place < places - unplaced; place++) if (!known.has(place)) return place;
  return null;
}
