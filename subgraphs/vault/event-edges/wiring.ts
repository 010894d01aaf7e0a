import type { VaultArea } from '../parts.js';
import { EventDocumentResolver } from './resolver.js';
import { EventWithDocuments } from './schema.js';

/** The documents of events, as an edge of the ledger's events. */
export const eventEdgesArea: VaultArea = {
  resolvers: [EventDocumentResolver],
  contractTypes: [EventWithDocuments],
  wire: ({ deps, ...parts }) => [new EventDocumentResolver({ ...deps, ...parts })],
};
