export { consumeLedger } from './consume-ledger.js';
export { mongoConsumerCursors } from './model.js';
export type { Chain, ConsumerCursors } from './ports.js';
export { RecentRows } from './recent-rows.js';
export { followersArea } from './wiring.js';
