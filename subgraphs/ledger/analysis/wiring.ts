import { mongoEventKeys } from '../event-keys/index.js';
import { mongoLinkStore } from '../links/index.js';
import type { LedgerArea, WireArea } from '../parts.js';
import { AnalysisResolver } from './resolver.js';

const wire: WireArea = ({ deps, contexts, openExceptions, rowProofs }) => {
  const { db } = deps.database;
  const stores = { eventKeys: mongoEventKeys(db), links: mongoLinkStore(db) };
  return { resolvers: [new AnalysisResolver({ ...deps, ...stores, contexts, openExceptions, rowProofs })] };
};

/** Questions over many events: denials and appeals, remittances without a claim, the conversation about a claim. */
export const analysisArea: LedgerArea = { resolvers: [AnalysisResolver], wire };
