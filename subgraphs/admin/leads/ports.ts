import type { RecordsByTenant } from '../../../shared/records/records.js';
import type { StepLine, Stored } from '../../../shared/records/stored.js';
import type { LeadAction, LeadStatus } from './domain.js';
import type { Lead, LeadMembers } from './schema.js';

/** Personal members of a lead: stored encrypted, and in no log and no ledger entry. */
export type LeadPersonal = Pick<LeadMembers, 'contact' | 'summary'>;

/** A lead as stored: `sealed` holds the personal members. */
export type StoredLead = Stored<
  Lead,
  { sealed: Buffer; history: readonly StepLine<LeadStatus, LeadAction>[] },
  keyof LeadPersonal
>;

export type LeadStore = RecordsByTenant<StoredLead>;
