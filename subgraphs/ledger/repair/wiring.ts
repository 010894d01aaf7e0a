import type { CustodyActor } from '../../../shared/contracts/custody.js';
import type { SubgraphDeps } from '../../../shared/contracts/deps.js';
import { problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { AppendSignal, mongoLedgerStore, TenantContexts } from '../append/index.js';
import { disposalSubject } from '../disposal/index.js';
import { mongoFactRows, stateFacts } from '../facts/index.js';
import {
  type LedgerVerdict,
  mongoIntegrityStore,
  NO_ANCHOR_SOURCES,
  VERIFY_PART_ROWS,
  type VerifiedTenant,
  VerifyStates,
  verifyLedger,
} from '../integrity/index.js';
import { mongoTreeStore, SignedLeaves } from '../transparency/index.js';
import { mongoRepairStore } from './model.js';
import { type RepairedTenant, type RepairLine, repairLedger } from './repair-ledger.js';

interface OperatorsWord {
  readonly tenantId: TenantId;
  readonly reason: string;
  readonly actor: CustodyActor;
  readonly isApplied: boolean;
}

interface RepairOutcome {
  readonly lines: readonly RepairLine[];
  /** The verification of the whole ledger afterwards. */
  readonly verdict: LedgerVerdict;
}

/** Repairs and verifies the ledger of one tenant, for a command. */
export async function repairTenant(deps: SubgraphDeps, word: OperatorsWord): Promise<RepairOutcome> {
  const tenant = await repairedTenant(deps, word.tenantId);
  const leaves = new SignedLeaves({ ...deps, deployment: deps.config.origin });
  const lines = await repairLedger({ clock: deps.clock, leaves }, tenant, word);
  const states = new VerifyStates(deps.masterKey, word.tenantId);
  const facts = stateFacts(mongoFactRows(deps.database.db, deps.masterKey))(word.tenantId);
  const verdict = await verifyLedger(
    { ...deps, partRows: VERIFY_PART_ROWS, anchors: NO_ANCHOR_SOURCES },
    { ...tenant, facts },
    states,
    {},
  );
  return { lines, verdict };
}

async function repairedTenant(deps: SubgraphDeps, tenantId: TenantId) {
  const { db } = deps.database;
  const tenant = await deps.tenants.find(tenantId);
  if (!tenant) throw problem('NOT_FOUND', { message: 'There is no such tenant.' });
  const trees = mongoTreeStore(db);
  const contexts = new TenantContexts({ ...deps, store: mongoLedgerStore(db), appended: new AppendSignal(), trees });
  const repairs = mongoRepairStore(db, (deps.retention ?? deps.database).db);
  return {
    context: await contexts.of(tenantId),
    tree: trees(tenantId),
    integrity: mongoIntegrityStore(db)(tenantId),
    upkeep: deps.worm.upkeepOf({ tenantId: tenant.tenant_id, logId: tenant.log_id }),
    repairs: repairs(tenantId),
    append: (entries) => deps.systemLedger.append(tenantId, entries),
    disposed: (eventIds) => disposedOf(deps, tenantId, eventIds),
    logId: tenant.log_id,
  } satisfies RepairedTenant & Pick<VerifiedTenant, 'logId'>;
}

async function disposedOf(
  { facts }: Pick<SubgraphDeps, 'facts'>,
  tenantId: TenantId,
  eventIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const disposed = new Set<string>();
  for (let from = 0; from < eventIds.length; from += BATCH_QUESTIONS) {
    const ids = eventIds.slice(from, from + BATCH_QUESTIONS);
    const answers = await facts.read(
      tenantId,
      ids.map((id) => ({ subject: disposalSubject(id), known: null })),
    );
    for (const [i, id] of ids.entries()) if ((answers[i]?.newer.length ?? 0) > 0) disposed.add(id);
  }
  return disposed;
}

const BATCH_QUESTIONS = 500;
