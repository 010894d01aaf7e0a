export { countsArea } from './wiring.js';
