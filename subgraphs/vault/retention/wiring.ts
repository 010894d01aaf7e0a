import type { LinkedDeps, SubgraphDeps } from '../../../shared/contracts/deps.js';
import type { FactGuard } from '../../../shared/facts/guard.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { singleRowStates } from '../../../shared/records/check-rows.js';
import type { DocumentStore } from '../documents/index.js';
import { statesOfSubjects } from '../documents/index.js';
import type { HoldStore } from '../holds/index.js';
import { holdRecords } from '../holds/index.js';
import type { VaultArea } from '../parts.js';
import type { StoredRenditions } from '../redactions/index.js';
import { mongoStoredRenditions } from '../redactions/index.js';
import type { BlobHolder } from './blob-holders.js';
import { DeletionGate, type GateDeps } from './deletion-gate.js';
import { type DisposeDeps, finishDisposal } from './dispose.js';
import {
  DISPOSALS,
  GATES,
  mongoDisposalRows,
  mongoGateStore,
  mongoRulesRows,
  mongoSweepStore,
  orderStates,
  RULES,
  SWEEPS,
} from './model.js';
import type { GateStore, RulesStore } from './ports.js';
import { stateOfOrder } from './proven-orders.js';
import { adoptableRules, POLICIES, provenRules, stateOfRules } from './proven-rules.js';
import { ErasureResolver, RetentionResolver } from './resolver.js';
import { sweepEveryTenant } from './sweep-every-tenant.js';

/**
 * All parts that refer to stored bytes: no blob is deleted while one of them needs it.
 * A new place that stores blobs adds a line here (test/vault/retention/blob-holders.test.ts fails until then).
 */
const blobHolders = (
  deps: Pick<LinkedDeps, 'ledgerDisposal' | 'sealedArchives' | 'ruleArtifacts'>,
  documents: DocumentStore,
  renditions: (tenantId: TenantId) => StoredRenditions,
): readonly BlobHolder[] => [
  { name: 'documents', needs: (tenantId, sha256s) => documents(tenantId).referenced(sha256s) },
  {
    name: 'raw messages',
    needs: (tenantId, sha256s, role) =>
      deps.ledgerDisposal.rawInUse(tenantId, sha256s, role === 'RAW' ? 'KEEP' : 'LET_GO'),
  },
  {
    name: 'renditions',
    // A rendition stays as long as one of its records.
    needs: async (tenantId, sha256s) => {
      const named = await renditions(tenantId).named(sha256s);
      const subjects = named.map(({ subject }) => subject);
      const { disposed } = await statesOfSubjects({ ...deps, documents }, tenantId, subjects);
      return named.filter(({ subject }) => !disposed.has(subject.id)).map(({ sha256 }) => sha256);
    },
  },
  { name: 'sealed bundles', needs: (tenantId, sha256s) => deps.sealedArchives.named(tenantId, sha256s) },
  { name: 'artifacts of rules', needs: (tenantId, sha256s) => deps.ruleArtifacts.named(tenantId, sha256s) },
];

/** Parts that deletions and holds share. */
export interface GateParts {
  readonly holds: HoldStore;
  readonly gates: GateStore;
  readonly gate: DeletionGate;
  /** The retention policies, read from their facts. */
  readonly rules: RulesStore;
  readonly disposing: DisposeDeps;
}

/** Makes the gate, and the completion of passed deletions. */
export function gateParts(
  deps: SubgraphDeps,
  documents: DocumentStore,
  { outbox, facts }: { readonly outbox: EffectRelay; readonly facts: FactGuard },
  forgetDocuments: DisposeDeps['forgetDocuments'],
): GateParts {
  const { db } = deps.database;
  const holds = holdRecords({ db, outbox, guard: facts });
  facts.projects('hold', (tenantId, id) => holds.forTenant(tenantId).catchUp(id));
  const rulesRows = mongoRulesRows(db);
  const rules = provenRules({ guard: facts, rows: rulesRows });
  facts.adopts('retention-policy', adoptableRules(rulesRows, RULES.name));
  facts.projects('retention-policy', (tenantId) => rules.catchUp(tenantId));
  const policies = { collection: RULES.name, id: POLICIES.id, stateOf: stateOfRules };
  facts.states('retention-policy', singleRowStates({ db, ...policies }));
  const gates = mongoGateStore(db);
  const renditions = mongoStoredRenditions(db);
  const disposing = {
    ...deps,
    documents,
    disposals: mongoDisposalRows(db, outbox),
    forgetDocuments,
    renditions,
    blobHolders: blobHolders(deps, documents, renditions),
    guard: facts,
    rules,
  };
  const keeps: DeletionGate['keeps'] = (tenantId, subjects) => gate.keeps(tenantId, subjects);
  const finish = (tenantId: TenantId, id: string) => finishDisposal({ ...disposing, keeps }, tenantId, id);
  facts.projects('disposal-order', finish);
  facts.states('disposal-order', orderStates(db, stateOfOrder));
  const membersOf = async (tenantId: TenantId, memberId: string): Promise<readonly string[]> =>
    (await deps.memberDirectory.identityOf(tenantId, memberId))?.member_ids ?? [memberId];
  const documentsOf: GateDeps['documentsOf'] = async (tenantId, matterIds) => {
    const ties = await deps.tiedRecords.of(tenantId, 'matter', matterIds);
    return new Map(ties.map(({ id, names }) => [id, names.flatMap(documentNamed)]));
  };
  const underRequest = (tenantId: TenantId) => deps.openRequests.memberIds(tenantId);
  const gate = new DeletionGate({ holds, gates, clock: deps.clock, finish, membersOf, documentsOf, underRequest });
  return { holds, gates, rules, disposing, gate };
}

/** Ties are written `kind:id`. */
const documentNamed = (name: string): readonly string[] =>
  name.startsWith('document:') ? [name.slice('document:'.length)] : [];

/** Sweeps are daily; frequent checks let a process that was asleep catch up. */
const SWEEP_LOOK_MS = 15 * 60_000;
const RESUME_INTERVAL_MS = 30_000;

/** Policies, sweeps and the completion of interrupted disposals. */
export const retentionArea: VaultArea = {
  resolvers: [RetentionResolver, ErasureResolver],
  collectionsWithEffects: [RULES, DISPOSALS, SWEEPS],
  collections: [GATES],
  wire: ({ deps, outbox, gate, gates, rules, disposing }) => {
    const { db } = deps.database;
    const services = {
      ...deps,
      ...disposing,
      gate,
      rules,
      sweeps: mongoSweepStore(db, outbox),
      minimumYears: deps.config.retention.minimumYears,
    };
    deps.jobs.recurring({
      name: 'retention.sweep',
      description: 'Disposes of expired records without holds, once a day per tenant.',
      everyMs: SWEEP_LOOK_MS,
      run: (signal) => sweepEveryTenant({ ...services, gates }, signal),
    });
    deps.jobs.recurring({
      name: 'retention.resume',
      description: 'Completes disposals that a crash interrupted.',
      everyMs: RESUME_INTERVAL_MS,
      run: (signal) => gate.resume(signal),
    });
    return [new RetentionResolver(services), new ErasureResolver(services)];
  },
};
