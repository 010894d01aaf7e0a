import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { ExceptionDesk } from '../../../shared/contracts/exceptions.js';
import { problem } from '../../../shared/errors/problem.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import type { IncarnationRow, TreeStore } from './ports/tree-store.js';
import { regressSubject } from './tree-keeper.js';

export interface DeclareDeps {
  readonly clock: Clock;
  readonly trees: TreeStore;
  readonly outbox: EffectRelay;
  readonly collection: string;
  readonly exceptions: Pick<ExceptionDesk, 'resolve'>;
  readonly idOf: (tenantId: string, incarnation: number) => string;
}

interface DeclareInput {
  readonly reason: string;
  /** Id of the actor or key. */
  readonly declaredBy: string;
  /** Derived from the request, so that a retry after a crash declares nothing twice. */
  readonly ids: Pick<Ids, 'next'>;
}

/**
 * Starts a new incarnation of the tree: its checkpoints have another origin and need not extend earlier ones. Only this
 * ends a regress. The declaration stays in its row and as an entry of `_system`.
 */
export async function declareIncarnation(
  deps: DeclareDeps,
  tenantId: TenantId,
  { reason, declaredBy, ids }: DeclareInput,
): Promise<IncarnationRow> {
  const tree = deps.trees(tenantId);
  const [latest, previous, treeSize] = await Promise.all([
    tree.latestIncarnation(),
    tree.latestCheckpoint(),
    tree.size(),
  ]);
  const declarationId = ids.next('effect');
  if (latest?.declaration_id === declarationId) return latest;
  const declaredAt = new Date(deps.clock.nowMs());
  const row: IncarnationRow = {
    incarnation: (latest?.incarnation ?? 1) + 1,
    declaration_id: declarationId,
    reason,
    declared_by: declaredBy,
    declared_at: declaredAt,
    previous: previous && {
      checkpoint_id: previous.checkpoint_id,
      incarnation: previous.incarnation,
      tree_size: previous.tree_size,
      root_hash: previous.root_hash,
    },
    tree_size: treeSize,
  };
  const { incarnation, declaration_id: _, declared_at: __, ...declared } = row;
  const entry = {
    event_family: 'ledger',
    event_type: 'ledger.incarnation_declared',
    event_effective_timestamp: isoTime(declaredAt.getTime()),
    payload: { incarnation, ...declared, previous: row.previous && { ...row.previous } },
  };
  const pending = [ledgerEntryEffect(ids, { tenant_id: tenantId, source_system: '_system', entry })];
  if (!(await tree.declare(row, pending))) {
    throw problem('CONFLICT', { message: 'Another incarnation was declared at the same time.' });
  }
  await deps.outbox.relay(deps.collection, deps.idOf(tenantId, incarnation), pending);
  const note = `Incarnation ${incarnation} was declared.`;
  await deps.exceptions.resolve(tenantId, 'CHECKPOINT_REGRESS', regressSubject(incarnation - 1), note);
  return row;
}
