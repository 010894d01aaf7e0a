import { VerdictSum } from '../../../shared/contracts/ledger-verification.js';
import { CUSTODY_PARTITION } from '../../../shared/ids/tenant.js';
import {
  evidenceOf,
  type LedgerVerdict,
  NO_ANCHOR_SOURCES,
  VERIFY_PART_ROWS,
  type VerifiedTenant,
  type VerifyDeps,
  VerifyStates,
  verifyLedger,
} from '../integrity/index.js';
import type { LedgerArea, WireArea } from '../parts.js';
import { mongoCustodyStore } from './model.js';
import { CustodyResolver } from './resolver.js';
import { CUSTODY_EDGES, CustodyEntryResolver } from './resolvers/edges.js';
import { BundleInCustody, DocumentInCustody, HoldInCustody } from './schema.js';

const wire: WireArea = (parts) => {
  const { deps, contexts, ingest, requireProven } = parts;
  const tenantOf = evidenceOf(parts);
  const verifying = { ...deps, partRows: VERIFY_PART_ROWS, anchors: NO_ANCHOR_SOURCES };
  const verify = async (tenantId: string) =>
    verifyCustodyChain(verifying, await tenantOf(tenantId), new VerifyStates(deps.masterKey, tenantId));
  const custodyEntries = mongoCustodyStore(deps.database.db);
  const services = { ...deps, ...ingest, contexts, custodyEntries, requireProven, verify };
  return {
    resolvers: [
      new CustodyResolver(services),
      new CustodyEntryResolver(),
      ...CUSTODY_EDGES.map((Edge) => new Edge(services)),
    ],
  };
};

/** Verifies the tenant's chain of custody like any chain; an empty chain is valid. */
async function verifyCustodyChain(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  states: VerifyStates,
): Promise<LedgerVerdict> {
  const { context, tree } = tenant;
  const isEmpty = (await context.ledger.head(CUSTODY_PARTITION)) === null;
  // If the tree has leaves of it, the chain is not empty but missing.
  if (isEmpty && (await tree.assignedUpTo(CUSTODY_PARTITION)) === 0) {
    return new VerdictSum<never, never>().verdict();
  }
  return verifyLedger(deps, tenant, states, { source_system: CUSTODY_PARTITION });
}

/** The chain of custody: reads, entries by hand and its verification. */
export const custodyArea: LedgerArea = {
  resolvers: [CustodyResolver, CustodyEntryResolver, ...CUSTODY_EDGES],
  contractTypes: [BundleInCustody, DocumentInCustody, HoldInCustody],
  wire,
};
