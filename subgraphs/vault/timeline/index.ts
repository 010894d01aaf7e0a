export { timelineArea } from './wiring.js';
