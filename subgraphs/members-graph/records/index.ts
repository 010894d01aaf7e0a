export { idsOfPerson, parsePeriod, parseTime, parseWord, requireOrder } from './input.js';
export { requireKnownActor } from './known-actor.js';
export { readRecords } from './ledger-records.js';
export { type MemberReference, memberReference } from './member-reference.js';
