export { AI_DECISIONS } from './model.js';
export { aiDecisionsArea } from './wiring.js';
