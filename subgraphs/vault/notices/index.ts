import type { VaultArea } from '../parts.js';
import { NOTICE_MACHINE } from './domain.js';
import { NOTICES, noticeRecords } from './model.js';
import { NoticeResolver } from './resolver.js';

/** Notices to custodians of legal holds. */
export const noticesArea: VaultArea = {
  resolvers: [NoticeResolver],
  stateMachines: [NOTICE_MACHINE],
  collectionsWithEffects: [NOTICES],
  wire: ({ deps, holds, outbox, facts }) => {
    const notices = noticeRecords({ db: deps.database.db, outbox, guard: facts });
    facts.projects('hold-notice', (tenantId, id) => notices(tenantId).catchUp(id));
    return [new NoticeResolver({ ...deps, notices, holds })];
  },
};
