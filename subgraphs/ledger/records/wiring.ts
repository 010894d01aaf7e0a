import { DisposalTies } from '../disposal/domain.js';
import type { LedgerArea, WireArea } from '../parts.js';
import { TileCache } from '../transparency/index.js';
import { mongoRecordReads } from './model.js';
import { LedgerRecordsResolver } from './resolver.js';

const wire: WireArea = ({ deps, contexts, trees, openExceptions, rowDisposals }) => {
  const { db } = deps.database;
  const services = {
    ...deps,
    contexts,
    openExceptions,
    rowDisposals,
    reads: mongoRecordReads(db, (tenantId) => new DisposalTies(deps.masterKey.derive('disposal-tie', tenantId))),
    trees,
    cache: new TileCache(),
  };
  return { resolvers: [new LedgerRecordsResolver(services)] };
};

/** Records, their custody and their proofs as of a checkpoint: what bundles are built from. */
export const recordsArea: LedgerArea = { resolvers: [LedgerRecordsResolver], wire };
