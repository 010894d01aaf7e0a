export { matches, type ScopedHold } from './scope.js';
export { type DocumentSubject, type EventSubject, eventSubject } from './subjects.js';
