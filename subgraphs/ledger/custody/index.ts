export { custodyView } from './read-custody.js';
export { custodyArea } from './wiring.js';
