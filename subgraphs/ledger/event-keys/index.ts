export { EVENT_KEYS_INDEX, EVENT_SEARCH_COLLECTION, mongoEventKeys } from './model.js';
export type { EventKeyStore, KeyedPlace, TenantEventKeys } from './ports.js';
