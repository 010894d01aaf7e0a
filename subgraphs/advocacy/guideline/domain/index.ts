export type { GuidelineCriterion, GuidelineResult } from '../schema.js';
export { procedureSystemOf } from './applicability.js';
