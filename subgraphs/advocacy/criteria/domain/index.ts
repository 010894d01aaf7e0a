export type { Truth } from './evaluate.js';
export { evaluate } from './evaluate.js';
export { type Criterion, factsUsedBy, readCriteria } from './read-criteria.js';
