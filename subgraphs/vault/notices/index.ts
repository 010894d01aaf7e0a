import type { VaultArea } from '../parts.js';
import { NOTICE_MACHINE } from './domain.js';
import { NOTICES, noticeRecords } from './model.js';
import { NoticeResolver, SharedNoticeResolver } from './resolver.js';

/** Notices to custodians of legal holds. */
export const noticesArea: VaultArea = {
  resolvers: [NoticeResolver, SharedNoticeResolver],
  stateMachines: [NOTICE_MACHINE],
  collectionsWithEffects: [NOTICES],
  wire: ({ deps, holds, outbox, facts }) => {
    const notices = noticeRecords({ db: deps.database.db, outbox, guard: facts });
    facts.projects('hold-notice', (tenantId, id) => notices.forTenant(tenantId).catchUp(id));
    const services = { ...deps, notices, holds };
    return [new NoticeResolver(services), new SharedNoticeResolver(services)];
  },
};
