export type { DeletionGate } from './deletion-gate.js';
export { type GateParts, gateParts, retentionArea } from './wiring.js';
