export { type AppealedDenial, type DenialGroup, groupDenials, joinAppeals } from './denials.js';
export { groupByProvider } from './unmatched.js';
export { lastMonth, type Span } from './window.js';
