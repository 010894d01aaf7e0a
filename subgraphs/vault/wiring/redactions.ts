import type { LinkedDeps } from '../../../shared/contracts/deps.js';
import type { Performer } from '../../../shared/outbox/performers.js';
import { DocumentProcesses } from '../adapters/documents/document-processes.js';
import { processRedactor } from '../adapters/documents/process-redactor.js';
import { redactionModel, redactionStore } from '../model/redaction-model.js';
import { RedactionResolver } from '../resolvers/redaction-resolver.js';
import { followDocumentRedaction } from '../service/follow-redaction.js';
import type { DocumentStore } from '../service/ports/document-store.js';
import type { HideEventEffect, SetRenditionEffect } from '../service/ports/vault-effects.js';
import type { WireArea } from './parts.js';

/** Pages are drawn one after the other in a process of their own; two of them leave a processor to requests. */
const PROCESSES = 2;
const MAX_PAGES = 1_000;

/** Redactions: drafts, and renditions of what is applied. */
export const wireRedactions: WireArea = ({ deps, documents, outbox }) => {
  const { redaction } = deps.config;
  const { timeoutMs, memoryMb } = redaction;
  const processes = new DocumentProcesses({ timeoutMs, memoryMb, concurrency: PROCESSES });
  const services = {
    ...deps,
    documents,
    redactions: redactionStore(redactionModel(deps.database.connection), outbox),
    documentRedactor: processRedactor(processes, MAX_PAGES),
    needsTwoPeople: redaction.needsTwoPeople,
    maxDocumentBytes: redaction.maxDocumentBytes,
  };
  return { resolvers: [[RedactionResolver, new RedactionResolver(services)]] };
};

/** What follows from applied redactions. @param documents looked up when it is used: its store needs the outbox itself. */
export const redactionPerformers = (
  deps: LinkedDeps,
  documents: () => DocumentStore,
): { 'hide-event': Performer<HideEventEffect>; 'set-rendition': Performer<SetRenditionEffect> } => ({
  'hide-event': ({ tenant_id, order }) => deps.eventRedactor.hide(tenant_id, order),
  'set-rendition': (effect) => followDocumentRedaction({ ...deps, documents: documents() }, effect),
});
