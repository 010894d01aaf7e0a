import type { LedgerRow } from '../append/domain/index.js';
import type { TenantContext } from '../append/index.js';
import type { HiddenOfEvent } from '../redactions/index.js';

/** What the facts and the signed tree say of a row. */
export interface RowProof {
  /** Null for an event without a redaction. */
  readonly hidden: HiddenOfEvent | null;
  /** `source_record_id` of the `_system` entry that accounts for the disposal; null for an event that is kept. */
  readonly disposalId: string | null;
  /** Place in the tree; null during the seconds until it is assigned. */
  readonly treeIndex: number | null;
}

type ProvenTenant = Pick<TenantContext, 'tenantId' | 'tree' | 'genesis'>;

/**
 * Returns the disposal of each row as facts prove it, in their order; null for an event that is kept.
 *
 * @throws INTEGRITY_FAILURE for a row that facts contradict.
 */
export type RowDisposals = (
  tenant: Pick<TenantContext, 'tenantId'>,
  rows: readonly LedgerRow[],
) => Promise<readonly (string | null)[]>;

/**
 * Verifies rows as they were read, and returns one proof a row, in their order. Reads the facts after the rows: data
 * hidden or disposed of meanwhile must not be shown.
 *
 * @throws INTEGRITY_FAILURE for a row that facts or tree contradict. It does not compare the record with the entry hash.
 */
export type RowProofs = (tenant: ProvenTenant, rows: readonly LedgerRow[]) => Promise<readonly RowProof[]>;

/**
 * Verifies rows of the service's own partitions from the record to the signed tree. Their entries are not redacted.
 *
 * @throws INTEGRITY_FAILURE for an altered row, and for one that the signed tree, or before its checkpoint the chain,
 * contradicts.
 */
export type RequireProven = (tenantId: string, rows: readonly LedgerRow[]) => Promise<void>;
