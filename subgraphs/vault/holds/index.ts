export { documentSubjects, refuseLessHeld } from './keep-held.js';
export type { HoldStore } from './ports.js';
export { holdRecords, holdsArea } from './wiring.js';
