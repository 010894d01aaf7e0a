export { type AppealedDenial, type DenialGroup, groupDenials, joinAppeals, type Keyed } from './denials.js';
export { groupByProvider, type UnmatchedProvider } from './unmatched.js';
export { lastMonth, monthOf, type Span } from './window.js';
