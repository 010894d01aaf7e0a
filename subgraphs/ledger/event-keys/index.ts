export { EVENT_KEYS_INDEX, EVENT_SEARCH_COLLECTION, mongoEventKeys } from './model.js';
export type { EventKeyStore, KeyedPlace, KeyedQuery, TenantEventKeys } from './ports.js';
