import { mongoCustodyStore } from '../model/custody-model.js';
import { mongoRawUse } from '../model/raw-of-event-model.js';
import { CustodyResolver } from '../resolvers/custody-resolver.js';
import { RawOfEventResolver } from '../resolvers/raw-of-event-resolver.js';
import { verifyCustodyChain } from '../service/custody-chain.js';
import { VERIFY_PART_ROWS } from '../service/verify-ledger.js';
import { VerifyStates } from '../service/verify-state.js';
import { evidenceOf } from './evidence.js';
import type { WireArea } from './parts.js';

/** The chain of custody: read off the ledger, and written into it by hand; and the raw bytes, which are given out under it. */
export const wireCustody: WireArea = (parts) => {
  const { deps, contexts, ingest, redactions } = parts;
  const tenantOf = evidenceOf(parts);
  const verifying = { clock: deps.clock, signingKeys: deps.signingKeys, partRows: VERIFY_PART_ROWS };
  const verify = async (tenantId: string) =>
    verifyCustodyChain(verifying, await tenantOf(tenantId), new VerifyStates(deps.masterKey, tenantId));
  const services = { ...deps, ...ingest, contexts, custodyEntries: mongoCustodyStore(deps.database.db), verify };
  const rawUse = mongoRawUse(deps.database.db);
  return {
    resolvers: [
      [CustodyResolver, new CustodyResolver(services)],
      [RawOfEventResolver, new RawOfEventResolver({ contexts, rawUse, redactions })],
    ],
  };
};
