import type { LedgerArea, WireArea } from '../parts.js';
import { mongoSearchStore } from '../search/index.js';
import { RedactionResolver } from './resolver.js';

const wire: WireArea = ({ deps, contexts, redactions, rowProofs }) => {
  const search = mongoSearchStore(deps.database.db);
  return { resolvers: [new RedactionResolver({ ...deps, contexts, redactions, rowProofs, search })] };
};

/** Redacted renditions of events, and the fields that redactions hide. */
export const redactionsArea: LedgerArea = { resolvers: [RedactionResolver], wire };
