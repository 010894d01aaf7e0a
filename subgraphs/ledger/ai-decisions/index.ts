export { AI_DECISIONS } from './model.js';
export { AiDecision } from './schema/decision.js';
export { aiDecisionsArea } from './wiring.js';
