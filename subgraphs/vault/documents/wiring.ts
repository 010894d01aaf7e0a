import { GroupedCalls } from '../../../shared/clock/grouped-calls.js';
import type { FactGuard, ProjectedKind } from '../../../shared/facts/guard.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { RecordStoreDeps } from '../../../shared/records/record-store.js';
import type { VaultArea } from '../parts.js';
import { adoptableRenditions, followsRedactions, renditionState } from './document-redactions.js';
import { DOCUMENT_MACHINE, documentRefs } from './domain.js';
import { DOCUMENTS, documentStore, redactedDocuments, renditionStates } from './model.js';
import type { DocumentStore } from './ports.js';
import { DocumentFactsResolver, DocumentResolver } from './resolver.js';
import { DOCUMENT_FACTS, DOCUMENT_ROW } from './schema.js';

type DocumentRecordDeps = RecordStoreDeps & Parameters<typeof followsRedactions>[0];

export const documentRecords = (deps: DocumentRecordDeps): DocumentStore =>
  documentStore(deps, {
    check: DOCUMENT_ROW,
    facts: { ...DOCUMENT_FACTS, refs: documentRefs },
    follows: followsRedactions(deps),
  });

/** Serves the renditions of documents to the verification of the ledger, and to their adoption. */
export function readsRenditions({ db }: Pick<RecordStoreDeps, 'db'>, facts: FactGuard): void {
  facts.states('document-redaction', renditionStates({ db }, renditionState));
  facts.adopts('document-redaction', adoptableRenditions(DOCUMENTS.name, redactedDocuments({ db })));
}

const MAX_CAUGHT_UP = 100;

/** Writes the rows of documents that a crash left behind their facts; those of one turn by one read. */
export function caughtUpTogether(documents: DocumentStore): ProjectedKind['project'] {
  const calls = new GroupedCalls<string, undefined, TenantId>(async (tenantId, ids) => {
    await documents(tenantId).catchUpAll(ids);
    return ids.map(() => undefined);
  }, MAX_CAUGHT_UP);
  return (tenantId, id) => calls.call(tenantId, id);
}

/** The records of documents; the facade streams their bytes. */
export const documentsArea: VaultArea = {
  resolvers: [DocumentResolver, DocumentFactsResolver],
  stateMachines: [DOCUMENT_MACHINE],
  collectionsWithEffects: [DOCUMENTS],
  wire: ({ deps, ...parts }) => {
    const services = { ...deps, ...parts, scanInline: deps.config.scan.inline };
    return [new DocumentResolver(services), new DocumentFactsResolver(services)];
  },
};
