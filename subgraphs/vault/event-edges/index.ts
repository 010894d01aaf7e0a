export { eventEdgesArea } from './wiring.js';
