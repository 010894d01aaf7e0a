export { agreementsOf, FEEDS } from './model.js';
export type { AgreementsOn } from './ports.js';
export { sourceFeedsArea } from './wiring.js';
