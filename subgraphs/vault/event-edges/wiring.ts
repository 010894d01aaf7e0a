import type { VaultArea } from '../parts.js';
import { documentReferences } from './references.js';
import { EventDocumentResolver } from './resolver.js';
import { EventWithDocuments } from './schema.js';

/** The documents of events, as an edge of the ledger's events. */
export const eventEdgesArea: VaultArea = {
  resolvers: [EventDocumentResolver],
  references: { Document: ({ deps, documents }) => documentReferences({ ...deps, documents }) },
  contractTypes: [EventWithDocuments],
  wire: ({ deps, ...parts }) => [new EventDocumentResolver({ ...deps, ...parts })],
};
