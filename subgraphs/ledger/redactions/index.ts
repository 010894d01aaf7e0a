export { EVENT_REDACTION_COLLECTION, mongoRedactionRows, redactionStates } from './model.js';
export type { EventFacts, HiddenOfEvent, RedactionStore, TenantRedactions } from './ports.js';
export { adoptableRedactions, catchUpRedaction, provenRedactions, stateOfRedaction } from './proven-redactions.js';
export { redactionsArea } from './wiring.js';
