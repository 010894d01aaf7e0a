import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import { STATES_INDEX } from '../../../shared/records/check-rows.js';
import { declareCollection } from '../../../shared/records/collections.js';

export const MATTERS = declareCollection(
  'legal_matters',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, status: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, member_ids: 1, created_at: -1, _id: -1 }],
  STATES_INDEX,
  PENDING_INDEX,
);
