export { FEEDS } from './model.js';
export { sourceFeedsArea } from './wiring.js';
