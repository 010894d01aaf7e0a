import { type RecordStoreDeps, recordStore } from '../../../shared/records/record-store.js';
import { LEADS } from './model.js';
import type { LeadStore, StoredLead } from './ports.js';
import { LEAD_ROW } from './schema.js';

export const leadStore = (deps: RecordStoreDeps): LeadStore =>
  recordStore<StoredLead>(deps, { collection: LEADS, id: 'lead_id', check: LEAD_ROW });
