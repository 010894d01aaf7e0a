export { ANY_CUSTODY, custodyKeyOf } from './custody-keys.js';
export { type DuplicateKeys, factKeyRange, stateFactKey, stateFactKeys, uniqueKeysOf } from './duplicate-key.js';
export { type LedgerRow, type QueryFields, queryFieldsOf, sameQueryFields } from './ledger-row.js';
export { linkRows } from './link.js';
export { contentOf, isAltered, isLinked } from './record-content.js';
export { malformedField, malformedHeader } from './row-form.js';
export { validateEnvelope } from './validate-envelope.js';
