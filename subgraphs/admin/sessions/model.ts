import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { RowStore, type RowStoreDeps } from '../../../shared/records/row-store.js';
import { LIFETIME_MS } from './domain.js';
import type { SessionRecord, Sessions } from './ports.js';

/** Ended sessions stay in the list for this long; the ledger keeps their opening and end for good. */
const RETAINED_MS = 30 * 86_400_000;

export const SESSION_COLLECTION = declareCollection(
  'sessions',
  [{ purge_at: 1 }, { expireAfterSeconds: 0 }],
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ created_at: -1, _id: -1 }],
  PENDING_INDEX,
);

/** Sessions of earlier versions lack this member. */
const DEFAULTS = { person: null } as const;

/** @param committed called after each commit with the session. */
export function sessionStore(deps: RowStoreDeps, committed: (session: SessionRecord) => void): Sessions {
  const options = {
    collection: SESSION_COLLECTION,
    id: 'session_id',
    hidden: ['purge_at'],
    defaults: DEFAULTS,
    committed,
  } as const;
  const rows = new RowStore<SessionRecord>(deps, options);
  return {
    async insert(session, pending) {
      const purge_at = new Date(session.created_at.getTime() + LIFETIME_MS + RETAINED_MS);
      if (!(await rows.insert(session, pending, { purge_at }))) throw new Error('the id of a new session is taken');
    },
    byId: async (_id) => (await rows.findOne({ _id })) ?? undefined,
    async touch(_id, at) {
      await rows.documents.updateOne(
        { _id, ended_at: null, last_seen_at: { $lt: at } },
        { $set: { last_seen_at: at } },
      );
    },
    within(reach) {
      const own = reach === ANY_TENANT ? {} : { tenant_id: reach };
      return {
        get: (_id) => rows.findOne(own, { _id }),
        list: (query) => rows.list(query, own),
        end: (_id, ended_at, ended_by, pending) =>
          rows.update([own, { _id, ended_at: null }], { $set: { ended_at, ended_by } }, pending),
      };
    },
  };
}
