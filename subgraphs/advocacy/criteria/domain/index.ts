export type { Truth } from './evaluate.js';
export { evaluate } from './evaluate.js';
export { CRITERION_MEMBERS, type Criterion, factsUsedBy, readCriteria } from './read-criteria.js';
