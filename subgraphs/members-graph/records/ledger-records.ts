import type { LedgerRecord, LedgerRecords } from '../../../shared/contracts/ledger-records.js';
import { Problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';

interface RecordAt {
  readonly source_system: string;
  readonly seq: number;
}

/**
 * Reads records of the ledger, in order. A damaged record does not block the others; the ledger reports it (CHAIN_BREAK,
 * WORM_MISMATCH).
 *
 * @returns undefined for a damaged record.
 */
export async function readRecords(
  { ledgerRecords }: { readonly ledgerRecords: Pick<LedgerRecords, 'records'> },
  tenantId: TenantId,
  places: readonly RecordAt[],
): Promise<readonly (LedgerRecord | undefined)[]> {
  // Only proofs need the position in the tree.
  const read = (some: readonly RecordAt[]) =>
    ledgerRecords.records(
      tenantId,
      some.map(({ source_system, seq }) => ({ source_system, seq, tree_index: 0 })),
    );
  if (places.length === 0) return [];
  try {
    const found = await read(places);
    return places.map((_, i) => found[i]);
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  const found: (LedgerRecord | undefined)[] = [];
  for (const place of places) {
    try {
      found.push((await read([place]))[0]);
    } catch (error) {
      if (!isDamage(error)) throw error;
      found.push(undefined);
    }
  }
  return found;
}

const isDamage = (error: unknown): boolean => error instanceof Problem && error.code === 'INTEGRITY_FAILURE';
