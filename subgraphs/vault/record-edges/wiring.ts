import type { VaultArea } from '../parts.js';
import { redactionReferences } from '../redactions/index.js';
import { DocumentRecordsResolver, HoldRecordsResolver } from './resolver.js';

/** The legal matters and redactions of documents and holds. */
export const recordEdgesArea: VaultArea = {
  resolvers: [DocumentRecordsResolver, HoldRecordsResolver],
  wire: ({ redactions }) => [
    new DocumentRecordsResolver(redactionReferences({ redactions })),
    new HoldRecordsResolver(),
  ],
};
