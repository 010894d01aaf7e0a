export { eventQueriesArea } from './wiring.js';
