export { type BuildParts, buildArea, buildParts } from './wiring.js';
