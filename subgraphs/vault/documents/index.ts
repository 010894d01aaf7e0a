export {
  type AttachDeps,
  type ChangeDocumentDeps,
  codesOf,
  documentSteps,
  quarantineEffects,
  serviceDocumentSteps,
  VAULT_SERVICE,
  withEffects,
} from './change-document.js';
export { commitRendition, type NewRendition } from './document-redactions.js';
export { DOCUMENTS } from './model.js';
export type {
  DocumentScan,
  DocumentStore,
  ExpectTextEffect,
  ScanDocument,
  ScanFinding,
  StoredDocument,
  UnscannedContent,
  VaultEffect,
} from './ports.js';
export {
  documentFacts,
  listDocuments,
  namesOf,
  type ReadDocumentDeps,
  statesOfSubjects,
} from './read-documents.js';
export { documentQueryOf, shownDocument } from './resolver.js';
export { caughtUpTogether, documentRecords, documentsArea, readsRenditions } from './wiring.js';
