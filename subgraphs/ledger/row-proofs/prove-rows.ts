import type { FactGuard } from '../../../shared/facts/guard.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { isAltered, isLinked, type LedgerRow } from '../append/domain/index.js';
import { factsOfDisposals, provenDisposal } from '../disposal/index.js';
import { DamagedEntry, WITH_TREE } from '../integrity/index.js';
import type { RedactionStore } from '../redactions/index.js';
import { type LinkedEntry, type ProvenEntries, type SignedLeaves } from '../transparency/index.js';
import type { RequireProven, RowDisposals, RowProof, RowProofs } from './ports.js';

// Callers have looked the tenant up.

interface RowProofDeps {
  readonly guard: FactGuard;
  readonly redactions: RedactionStore;
  readonly leaves: Pick<SignedLeaves, 'compare'>;
}

export const rowDisposals =
  ({ guard }: Pick<RowProofDeps, 'guard'>): RowDisposals =>
  async (tenant, rows) => {
    const tenantId = tenant.tenantId as TenantId;
    const facts = await factsOfDisposals(
      guard,
      tenantId,
      rows.map(({ event_id }) => event_id),
    );
    const disposals: (string | null)[] = [];
    for (const row of rows) disposals.push(await provenDisposal(guard, tenantId, row, facts.get(row.event_id) ?? null));
    return disposals;
  };

export const requireProven =
  (entries: ProvenEntries): RequireProven =>
  async (tenantId, rows) => {
    const altered = rows.find((row) => !isLinked(row) || isAltered(row));
    if (altered !== undefined) throw new DamagedEntry(altered);
    const [contradicted] = await entries.unproven(tenantId, rows.map(linkOf));
    const row = rows.find(({ entry_hash }) => entry_hash === contradicted?.entry_hash);
    if (row !== undefined) throw new DamagedEntry(row, WITH_TREE);
  };

export const rowProofs =
  ({ guard, redactions, leaves }: RowProofDeps): RowProofs =>
  async (tenant, rows) => {
    if (rows.length === 0) return [];
    const unlinked = rows.find((row) => !isLinked(row));
    if (unlinked !== undefined) throw new DamagedEntry(unlinked);
    const tenantId = tenant.tenantId as TenantId;
    const [verdicts, facts] = await Promise.all([
      leaves.compare(tenant, rows.map(linkOf)),
      redactions(tenantId).factsOf(rows.map(({ event_id }) => event_id)),
    ]);
    const proofs: RowProof[] = [];
    for (const [i, row] of rows.entries()) {
      const { treeIndex = null, isProven = false } = verdicts[i] ?? {};
      if (!isProven) throw new DamagedEntry(row, WITH_TREE);
      const { hidden = null, disposal = null } = facts.get(row.event_id) ?? {};
      proofs.push({ hidden, disposalId: await provenDisposal(guard, tenantId, row, disposal), treeIndex });
    }
    return proofs;
  };

const linkOf = ({ _id, prev_hash, entry_hash }: LedgerRow): LinkedEntry => ({
  source_system: _id.source_system,
  seq: _id.seq,
  prev_hash,
  entry_hash,
});
