import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../shared/records/records.js';
import type { Stored } from '../../../shared/records/stored.js';
import type { ViewScreen } from './domain.js';
import type { SavedView } from './schema.js';

/** A view as stored; `own` depends on the reader. */
export type StoredView = Stored<SavedView, { screen: ViewScreen }, 'own'>;

/** `full` for an owner with the most views, `taken` for a name that the owner has for the screen. */
export type InsertedView = 'stored' | 'taken' | 'full';

export type ViewQuery = ListQuery<Pick<StoredView, 'screen'>>;

/** Views of one tenant. */
interface TenantViews {
  /** Stores a view in a free place of its owner; of two at the same time for the last place, one is stored. */
  insert(view: StoredView, places: number): Promise<InsertedView>;
  get(viewId: string): Promise<StoredView | null>;
  /** Returns the views of an owner, and the shared ones of everyone. */
  page(owner: string, query: ViewQuery): Promise<Page<StoredView>>;
  delete(viewId: string): Promise<void>;
}

export type ViewStore = (tenantId: TenantId) => TenantViews;
