import { mongoSearchStore } from '../model/search-repository.js';
import { RedactionResolver } from '../resolvers/redaction-resolver.js';
import type { WireArea } from './parts.js';

/** The ledger's side of redactions: renditions of events, and what is hidden of them. */
export const wireRedactions: WireArea = ({ deps, contexts, redactions }) => {
  const search = mongoSearchStore(deps.database.db);
  return { resolvers: [[RedactionResolver, new RedactionResolver({ ...deps, contexts, redactions, search })]] };
};
