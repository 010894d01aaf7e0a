import type { LedgerArea, WireArea } from '../parts.js';
import { mongoFactRows } from './model.js';
import { FactResolver } from './resolver.js';

const wire: WireArea = ({ deps, contexts, ingest, openExceptions, provenEntries }) => {
  const services = { ...ingest, ...deps, contexts, openExceptions, provenEntries };
  const factRows = mongoFactRows(deps.database.db, deps.masterKey);
  return { resolvers: [new FactResolver({ ...services, factRows })] };
};

/** Facts: entries that set the state of one subject. */
export const factsArea: LedgerArea = { resolvers: [FactResolver], wire };
