export type { MatterScope, MatterStore } from './ports.js';
export { matterScopeOver } from './read-matters.js';
export { matterReferences } from './resolver.js';
export { matterRecords, mattersArea } from './wiring.js';
