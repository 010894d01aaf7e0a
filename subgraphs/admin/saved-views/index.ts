import type { AdminArea } from '../parts.js';
import { SAVED_VIEWS, viewStore } from './model.js';
import { SavedViewResolver } from './resolver.js';

/** Saved views of the console: names for addresses of its screens. */
export const savedViewsArea: AdminArea = {
  resolvers: [SavedViewResolver],
  collections: [SAVED_VIEWS],
  wire: (parts) => ({ resolvers: [new SavedViewResolver({ ...parts, views: viewStore(parts.database) })] }),
};
