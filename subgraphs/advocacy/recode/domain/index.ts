export type { Appeal, AppealAttachment } from '../schema.js';
export type { Findings } from './suggestion.js';
