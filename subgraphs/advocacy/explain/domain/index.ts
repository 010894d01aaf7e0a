export type { ExplainedReason, ExplanationAnswer } from '../schema/index.js';
export type { ExplainData } from './explain-data.js';
export { explain, unknownCodesOf } from './explanation.js';
export { WORDS_SYSTEM } from './reasons.js';
