export { forgetTextsIn, mongoTextStore } from './model.js';
export type { TextStore } from './ports.js';
export { searchArea, textPerformer } from './wiring.js';
