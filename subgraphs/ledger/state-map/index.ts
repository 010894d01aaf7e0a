export { keptLogKeys } from './domain/map-ops.js';
export type { MapFolds } from './map-folds.js';
export type { MapFinding } from './verify-map.js';
export { type AuditedTenant, auditCopy, openStateMap, type StateMapParts, stateMapArea } from './wiring.js';
