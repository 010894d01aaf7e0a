import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../shared/records/records.js';
import type { Stored } from '../../../shared/records/stored.js';
import type { ViewScreen } from './domain.js';
import type { SavedView } from './schema.js';

/** A view as stored; `own` depends on the reader. */
export type StoredView = Stored<SavedView, { screen: ViewScreen }, 'own'>;

export type ViewQuery = ListQuery<Pick<StoredView, 'screen'>>;

/** Views of one tenant. */
export interface TenantViews {
  /** @returns false if the identifier, or the name among the owner's views of the screen, is taken. */
  insert(view: StoredView): Promise<boolean>;
  get(viewId: string): Promise<StoredView | null>;
  /** Returns the views of an owner, and the shared ones of everyone. */
  page(owner: string, query: ViewQuery): Promise<Page<StoredView>>;
  countOf(owner: string): Promise<number>;
  delete(viewId: string): Promise<void>;
}

export type ViewStore = (tenantId: TenantId) => TenantViews;
