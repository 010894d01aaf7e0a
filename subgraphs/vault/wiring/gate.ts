import type { SubgraphDeps } from '../../../shared/contracts/deps.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { mongoGateStore } from '../model/gate-repository.js';
import { mongoHoldStore } from '../model/hold-repository.js';
import { mongoDisposalRows } from '../model/retention-repository.js';
import { mongoStoredRenditions } from '../model/stored-renditions.js';
import { DeletionGate, type GateDeps } from '../service/deletion-gate.js';
import { type DisposeDeps, finishDisposal } from '../service/dispose.js';
import type { DocumentStore } from '../service/ports/document-store.js';
import type { GateStore } from '../service/ports/gate-store.js';
import type { HoldStore } from '../service/ports/hold-store.js';
import { blobHolders } from './blob-holders.js';

/** What every deletion and every hold of this subgraph stands on. */
export interface GateParts {
  readonly holds: HoldStore;
  readonly gates: GateStore;
  readonly gate: DeletionGate;
  readonly disposing: DisposeDeps;
}

/** The one gate, and what ends the deletions that it has let through. */
export function gateParts(
  deps: SubgraphDeps,
  documents: DocumentStore,
  outbox: EffectRelay,
  forgetDocuments: DisposeDeps['forgetDocuments'],
): GateParts {
  const { db } = deps.database;
  const holds = mongoHoldStore(db, outbox);
  const gates = mongoGateStore(db);
  const renditions = mongoStoredRenditions(db);
  const disposing = {
    ...deps,
    documents,
    disposals: mongoDisposalRows(db, outbox),
    forgetDocuments,
    renditions,
    blobHolders: blobHolders(deps, documents, renditions),
  };
  const finish = (...of: readonly [Parameters<typeof finishDisposal>[1], string]) => finishDisposal(disposing, ...of);
  const membersOf = async (tenantId: TenantId, memberId: string): Promise<readonly string[]> =>
    (await deps.memberDirectory.identityOf(tenantId, memberId))?.member_ids ?? [memberId];
  const documentsOf: GateDeps['documentsOf'] = async (tenantId, matterIds) => {
    const ties = await deps.tiedRecords.of(tenantId, 'matter', matterIds);
    return new Map(ties.map(({ id, names }) => [id, names.flatMap(documentNamed)]));
  };
  const underRequest = (tenantId: TenantId) => deps.openRequests.memberIds(tenantId);
  const gate = new DeletionGate({ holds, gates, clock: deps.clock, finish, membersOf, documentsOf, underRequest });
  return { holds, gates, disposing, gate };
}

/** Names of other records are written `kind:id`. */
const documentNamed = (name: string): readonly string[] =>
  name.startsWith('document:') ? [name.slice('document:'.length)] : [];
