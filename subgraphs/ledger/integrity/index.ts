export {
  type CopyStores,
  DISPOSAL_FAMILY,
  DISPOSAL_TYPE,
  explainHoles,
  leavesOf,
  rowBatches,
} from './chain-reads.js';
export { type Break, ChainVerifier, isBare } from './domain/verify-chain.js';
export { mongoIntegrityStore } from './model.js';
export type { EntryHeader, FactKeyPage, StateFacts, TenantIntegrity } from './ports.js';
export { brokenSeal } from './scrub-findings.js';
export { integrityState } from './scrub-state.js';
export { DROP_TYPE, SEAL_FAMILY } from './seal-segments.js';
export { type LedgerVerdict, VERIFY_PART_ROWS, verifyLedger } from './verify-ledger.js';
export { type DamageDeps, DamagedEntry, readerOf, reportingDamage, WITH_TREE } from './verify-on-read.js';
export type { VerifiedTenant, VerifyDeps } from './verify-state.js';
export { NO_ANCHOR_SOURCES, VerifyStates } from './verify-state.js';
export { evidenceOf, integrityArea } from './wiring.js';
