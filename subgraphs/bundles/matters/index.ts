export type { MatterScope, MatterStore } from './ports.js';
export { matterScopeOver } from './read-matters.js';
export { matterStore, mattersArea } from './wiring.js';
