import { Committer } from '../../../shared/evidence/commitments.js';
import { DisposalTies } from '../domain/disposal-ties.js';
import { mongoRecordReads } from '../model/record-reads-repository.js';
import { mongoTreeStore } from '../model/tree-repository.js';
import { LedgerRecordsResolver } from '../resolvers/ledger-records-resolver.js';
import { TileCache } from '../service/tree-tiles.js';
import type { WireArea } from './parts.js';

/** The ledger for those who seal parts of it: records, their custody and their proofs, as of a checkpoint. */
export const wireBundleReads: WireArea = ({ deps, contexts, openExceptions }) => {
  const { db } = deps.database;
  const services = {
    ...deps,
    contexts,
    openExceptions,
    reads: mongoRecordReads(db, (tenantId) => new DisposalTies(deps.masterKey.derive('disposal-tie', tenantId))),
    trees: mongoTreeStore(db),
    cache: new TileCache(),
    committer: new Committer(),
  };
  return { resolvers: [[LedgerRecordsResolver, new LedgerRecordsResolver(services)]] };
};
