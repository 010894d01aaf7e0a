export { type ScanParts, scanArea, scanParts } from './wiring.js';
