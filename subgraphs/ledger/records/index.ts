export { recordsArea } from './wiring.js';
