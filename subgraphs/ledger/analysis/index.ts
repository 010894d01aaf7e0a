export { analysisArea } from './wiring.js';
