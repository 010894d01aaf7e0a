export { recordEdgesArea } from './wiring.js';
