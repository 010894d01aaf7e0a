import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';
import type { MatterAction, MatterKind, MatterLinkKind, MatterLinks, MatterStatus } from '../../domain/legal-matter.js';

export interface MatterChange {
  readonly revision: number;
  readonly action: MatterAction;
  readonly from: MatterStatus | null;
  readonly to: MatterStatus;
  /** What was linked, or is no longer. */
  readonly link: { readonly kind: MatterLinkKind; readonly ref: string } | null;
  readonly at: Date;
  readonly by: string;
  readonly actor_id: string | null;
  /** Of the request that made the change: the same request run again finds it done. */
  readonly work_id: string | null;
}

/** A legal matter as stored. */
export interface StoredMatter extends MatterLinks {
  readonly matter_id: string;
  readonly tenant_id: TenantId;
  readonly name: string;
  readonly kind: MatterKind;
  readonly description: string | null;
  readonly status: MatterStatus;
  readonly revision: number;
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
  readonly closed_at: Date | null;
  /** All of it, oldest first. */
  readonly history: readonly MatterChange[];
}

export interface MatterQuery extends ListWindow {
  readonly status?: MatterStatus | undefined;
  readonly kind?: MatterKind | undefined;
  readonly name?: string | undefined;
  readonly member_id?: string | undefined;
}

export interface MatterWrite {
  readonly matter: Omit<StoredMatter, 'history'>;
  readonly change: MatterChange;
  readonly pending: readonly PendingEffect[];
}

/** Legal matters of one tenant. */
export interface TenantMatters {
  get(matterId: string): Promise<StoredMatter | null>;
  /** Up to `limit + 1` matters in order. */
  list(query: MatterQuery): Promise<readonly StoredMatter[]>;
  /** Null when the identifier is taken. Durable when it resolves. */
  insert(write: MatterWrite): Promise<StoredMatter | null>;
  /** Null when the matter is no longer at this revision. */
  replace(write: MatterWrite, revision: number): Promise<StoredMatter | null>;
  /** Performs what a write has left behind. */
  relay(write: MatterWrite): Promise<void>;
}

export type MatterStore = (tenantId: TenantId) => TenantMatters;
