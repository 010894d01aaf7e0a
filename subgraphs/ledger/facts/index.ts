export { localFacts, stateFacts } from './local-facts.js';
export { mongoFactRows } from './model.js';
export { factsArea } from './wiring.js';
