export { isRedactedIn, mongoStoredRenditions } from './model.js';
export type { RedactionStore, StoredRendition, StoredRenditions } from './ports.js';
export { redactionReferences } from './resolver.js';
export { switchReaders } from './switch-readers.js';
export { redactionRecords, redactionsArea } from './wiring.js';
