export { documentReferences } from './references.js';
export { eventEdgesArea } from './wiring.js';
