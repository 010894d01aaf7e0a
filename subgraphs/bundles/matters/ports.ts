import type { TenantId } from '../../../shared/ids/tenant.js';
import type { RecordsByTenant } from '../../../shared/records/records.js';
import type { StepLine, Stored } from '../../../shared/records/stored.js';
import type { MatterAction, MatterLinkKind, MatterStatus } from './domain.js';
import type { LegalMatter } from './schema.js';

/** A record that a step linked or unlinked. */
export interface LinkedRecord {
  readonly kind: MatterLinkKind;
  readonly ref: string;
}

type MatterLine = StepLine<MatterStatus, MatterAction> & { readonly link: LinkedRecord | null };

export type StoredMatter = Stored<LegalMatter, { history: readonly MatterLine[] }>;
export type MatterStore = RecordsByTenant<StoredMatter>;

/** The records linked to a legal matter, which form the scope of its bundles. */
interface LinkedToMatter {
  readonly member_ids: readonly string[];
  readonly event_ids: readonly string[];
  readonly document_ids: readonly string[];
}

/** Returns null if the tenant has no such matter; its bundle then contains the records that carry its id. */
export type MatterScope = (tenantId: TenantId, matterId: string) => Promise<LinkedToMatter | null>;
