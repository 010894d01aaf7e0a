import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';
import type { CloseReason, LeadAction, LeadConversion, LeadStatus, LeadType } from '../../domain/lead.js';

export interface LeadChange {
  readonly revision: number;
  readonly action: LeadAction;
  readonly from: LeadStatus | null;
  readonly to: LeadStatus;
  readonly at: Date;
  readonly by: string;
  readonly actor_id: string | null;
  /** Of the request that made the change: the same request run again finds it done. */
  readonly work_id: string | null;
}

/** A lead as stored: what is personal stands sealed in `sealed`. */
export interface StoredLead {
  readonly lead_id: string;
  readonly tenant_id: TenantId;
  readonly lead_type: LeadType;
  readonly source: string | null;
  readonly sealed: Buffer;
  readonly consent_to_contact: boolean;
  readonly score: number | null;
  readonly assigned_to: string | null;
  readonly duplicate_of: string | null;
  readonly converted_to: LeadConversion | null;
  readonly close_reason: CloseReason | null;
  readonly status: LeadStatus;
  readonly revision: number;
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
  /** All of it, oldest first. */
  readonly history: readonly LeadChange[];
}

export interface LeadQuery extends ListWindow {
  readonly status?: LeadStatus | undefined;
  readonly lead_type?: LeadType | undefined;
  readonly source?: string | undefined;
  readonly assigned_to?: string | undefined;
}

export interface LeadWrite {
  readonly lead: Omit<StoredLead, 'history'>;
  readonly change: LeadChange;
  readonly pending: readonly PendingEffect[];
}

/** Leads of one tenant. */
export interface TenantLeads {
  get(leadId: string): Promise<StoredLead | null>;
  /** Up to `limit + 1` leads in order. */
  list(query: LeadQuery): Promise<readonly StoredLead[]>;
  /** Null when the identifier is taken. Durable when it resolves. */
  insert(write: LeadWrite): Promise<StoredLead | null>;
  /** Null when the lead is no longer at this revision. */
  replace(write: LeadWrite, revision: number): Promise<StoredLead | null>;
  /** Performs what a write has left behind. */
  relay(write: LeadWrite): Promise<void>;
}

export type LeadStore = (tenantId: TenantId) => TenantLeads;
