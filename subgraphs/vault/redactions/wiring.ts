import { DocumentProcesses, processRedactor } from '../content/index.js';
import { readsRenditions } from '../documents/index.js';
import type { VaultArea } from '../parts.js';
import { REDACTION_MACHINE, subjectRef } from './domain.js';
import { REDACTIONS, type RedactionRecordDeps, redactionStore, TURNS } from './model.js';
import type { RedactionStore } from './ports.js';
import { RedactionResolver, redactionReferences } from './resolver.js';
import { REDACTION_FACTS, REDACTION_ROW } from './schema.js';
import { switchReaders } from './switch-readers.js';

/** Each process draws its pages in sequence; two processes leave processors for requests. */
const PROCESSES = 2;
const MAX_PAGES = 1_000;

export const redactionRecords = (deps: RedactionRecordDeps): RedactionStore =>
  redactionStore(deps, {
    check: REDACTION_ROW,
    facts: { ...REDACTION_FACTS, refs: ({ subject }) => [subjectRef(subject)] },
  });

/** Redactions of events and documents. */
export const redactionsArea: VaultArea = {
  resolvers: [RedactionResolver],
  references: { Redaction: redactionReferences },
  stateMachines: [REDACTION_MACHINE],
  collectionsWithEffects: [REDACTIONS],
  collections: [TURNS],
  wire: ({ deps, documents, redactions, facts }) => {
    const { timeoutMs, memoryMb, needsTwoPeople, maxDocumentBytes } = deps.config.redaction;
    const processes = new DocumentProcesses({ timeoutMs, memoryMb, concurrency: PROCESSES });
    const services = {
      ...deps,
      documents,
      redactions,
      documentRedactor: processRedactor(processes, MAX_PAGES),
      needsTwoPeople,
      maxDocumentBytes,
    };
    const switching = { ...deps, documents, redactions, guard: facts };
    // A crash, or someone who edits the waiting effects, keeps no applied redaction from its readers.
    facts.projects('redaction', (tenantId, id) => switchReaders(switching, tenantId, id));
    readsRenditions(deps.database, facts);
    facts.projects('document-redaction', (tenantId, documentId) => documents(tenantId).catchUp(documentId));
    return [new RedactionResolver(services)];
  },
};
