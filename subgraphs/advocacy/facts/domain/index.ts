export { diagnosesOf, proceduresOf } from './coded-facts.js';
export { DOCUMENT_KINDS, type DocumentKind, isDocumentKind } from './document-kinds.js';
export {
  ADJUSTMENT_GROUPS,
  type AdjustmentGroup,
  type EventCodes,
  eventCodes,
  type ProcedureCode,
  type ReasonCode,
  type ReasonSystem,
  ruleCodeOf,
} from './event-codes.js';
export { factNamed } from './names.js';
export { readFacts } from './read-facts.js';
export { evidence, type MemberRecord, serviceDay } from './record.js';
export { type Evidence, evidenceOf, type Facts, type FactValue, MAX_EVIDENCE, UNKNOWN } from './value.js';
