import type { Db } from 'mongodb';
import type { Clock } from '../../../shared/clock/clock.js';
import { hmacSha256 } from '../../../shared/crypto/hash.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import { type DeclaredIndex, declareCollection } from '../../../shared/records/collections.js';
import { RowStore, type RowStoreDeps } from '../../../shared/records/row-store.js';
import type { CodeLimits, CodeRequest, CodeStore, Session, SessionStore } from './ports.js';

// The ledger keeps the history; these rows expire.
const EXPIRY: DeclaredIndex = [{ purge_at: 1 }, { expireAfterSeconds: 0 }];

export const ACCESS_CODES = declareCollection('access_codes', EXPIRY, PENDING_INDEX);
export const MEMBER_SESSIONS = declareCollection('member_sessions', EXPIRY, PENDING_INDEX);
export const CODE_LIMITS = declareCollection('access_code_limits', EXPIRY);

/** Time until rows expire: covers delayed effects and support cases. */
const RETAINED_MS = 30 * 86_400_000;

/** Codes by tenant; every filter begins with the tenant. */
export function codeStore(deps: RowStoreDeps): CodeStore {
  const rows = new RowStore<CodeRequest>(deps, { collection: ACCESS_CODES, id: 'request_id', hidden: ['purge_at'] });
  return (tenant_id) => ({
    get: (_id) => rows.findOne({ tenant_id, _id }),
    insert: (request, pending) =>
      rows.insert(request, pending, { purge_at: new Date(request.created_at.getTime() + RETAINED_MS) }),
    takeAttempt(kind, _id, maxTries, atMs) {
      const open = { kind, status: 'PENDING', tries: { $lt: maxTries }, expires_at: { $gt: new Date(atMs) } };
      return rows.update([{ tenant_id, _id }, open], { $inc: { tries: 1 } }, []);
    },
    step: (_id, { pending, ...changes }) =>
      rows.update([{ tenant_id, _id, status: 'PENDING' }], { $set: changes, $inc: { revision: 1 } }, pending),
  });
}

/** Sessions by tenant; only the look-up of a token has no tenant. */
export function sessionStore(deps: RowStoreDeps): SessionStore {
  const rows = new RowStore<Session>(deps, { collection: MEMBER_SESSIONS, id: 'session_id', hidden: ['purge_at'] });
  return {
    byId: (_id) => rows.findOne({ _id }),
    forTenant: (tenant_id) => ({
      get: (_id) => rows.findOne({ tenant_id, _id }),
      insert: ({ session, pending }) =>
        rows.insert(session, pending, { purge_at: new Date(session.ends_at.getTime() + RETAINED_MS) }),
      async replace({ session: { session_id: _id, ...rest }, pending }, revision) {
        return (await rows.update([{ tenant_id, _id, revision }], { $set: rest }, pending)) !== null;
      },
    }),
  };
}

interface LimitDocument {
  readonly _id: string;
  readonly taken: number;
  readonly purge_at: Date;
}

/** Counts in fixed windows, one row for each name. Stores an HMAC of the name, which is a member or an address. */
export function codeLimits(db: Db, masterKey: MasterKey, clock: Clock): CodeLimits {
  const rows = db.collection<LimitDocument>(CODE_LIMITS.name);
  const key = masterKey.derive('one-time-code', 'limits');
  return {
    async take(name, limit, windowMs) {
      const nowMs = clock.nowMs();
      const window = Math.floor(nowMs / windowMs);
      const endsMs = (window + 1) * windowMs;
      const _id = `${window}:${hmacSha256(key, name).toString('base64url')}`;
      const counted = await rows.findOneAndUpdate(
        { _id },
        { $inc: { taken: 1 }, $setOnInsert: { purge_at: new Date(endsMs) } },
        { upsert: true, returnDocument: 'after' },
      );
      return (counted?.taken ?? 1) <= limit ? null : Math.max(1, Math.ceil((endsMs - nowMs) / 1_000));
    },
  };
}
