export type { RuleKind } from './kinds.js';
