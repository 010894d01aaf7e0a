import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import { declareCollection } from '../../../shared/records/collections.js';

export const LEADS = declareCollection(
  'leads',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, status: 1, created_at: -1, _id: -1 }],
  PENDING_INDEX,
);
