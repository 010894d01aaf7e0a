import { internalContext } from '../../shared/auth/context.js';
import type { DocumentFacts, DocumentFactsPage, Documents } from '../../shared/contracts/documents.js';
import type { SubgraphClient } from '../subgraph-client.js';

const LIST = `query DocumentFacts($filter: JSON!, $cursor: String, $limit: Int!) {
  documentFacts(filter: $filter, cursor: $cursor, limit: $limit)
}`;
const SCAN =
  'mutation EnsureDocumentScanned($document_id: String!) { ensureDocumentScanned(document_id: $document_id) }';

/**
 * The vault's documents, for other subgraphs.
 *
 * @param vault client of the vault subgraph.
 * @param caller the process or part that asks.
 */
export const documentsOver = (vault: SubgraphClient, caller: string): Documents => ({
  async list(tenantId, filter, cursor, limit) {
    const { documentFacts } = await vault.run(LIST, { filter, cursor, limit }, internalContext(tenantId, caller));
    return documentFacts as DocumentFactsPage;
  },
  async ensureScanned(tenantId, documentId) {
    const variables = { document_id: documentId };
    const { ensureDocumentScanned } = await vault.run(SCAN, variables, internalContext(tenantId, caller));
    return ensureDocumentScanned as DocumentFacts;
  },
});
