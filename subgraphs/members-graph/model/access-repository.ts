import type { Collection, Db, Filter } from 'mongodb';
import type { Clock } from '../../../shared/clock/clock.js';
import { hmacSha256 } from '../../../shared/crypto/hash.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { AccessKind } from '../domain/member-access/one-time-code.js';
import type {
  CodeLimits,
  CodeRequest,
  CodeStep,
  CodeStore,
  Session,
  SessionStore,
  SessionWrite,
  TenantCodes,
  TenantSessions,
} from '../service/ports/access-store.js';
import { CODE_COLLECTION, CODE_LIMIT_COLLECTION, SESSION_COLLECTION } from './access-model.js';

/** Long enough for a relay that was away, and for whoever looks into what went wrong. */
const KEPT_MS = 30 * 86_400_000;

interface Kept {
  readonly _id: string;
  readonly purge_at: Date;
  readonly pending: readonly PendingEffect[];
}

type CodeDocument = Omit<CodeRequest, 'request_id'> & Kept;
type SessionDocument = Omit<Session, 'session_id'> & Kept;

const codeOf = ({ _id, pending: _, purge_at: __, ...rest }: CodeDocument): CodeRequest => ({
  ...rest,
  request_id: _id,
});
const sessionOf = ({ _id, pending: _, purge_at: __, ...rest }: SessionDocument): Session => ({
  ...rest,
  session_id: _id,
});

async function isInserted<D extends { _id: string }>(rows: Collection<D>, document: D): Promise<boolean> {
  try {
    await rows.insertOne(document as never, { writeConcern: DURABLE });
    return true;
  } catch (error) {
    if (duplicateKeyOf(error)) return false;
    throw error;
  }
}

/** Codes by tenant; every filter begins with the tenant. */
export function codeStore(db: Db, outbox: EffectRelay): CodeStore {
  const rows = db.collection<CodeDocument>(CODE_COLLECTION);
  return (tenantId) => new MongoTenantCodes(rows, outbox, tenantId);
}

class MongoTenantCodes implements TenantCodes {
  readonly #rows: Collection<CodeDocument>;
  readonly #outbox: EffectRelay;
  readonly #tenantId: TenantId;

  constructor(rows: Collection<CodeDocument>, outbox: EffectRelay, tenantId: TenantId) {
    this.#rows = rows;
    this.#outbox = outbox;
    this.#tenantId = tenantId;
  }

  async get(requestId: string): Promise<CodeRequest | null> {
    const found = await this.#rows.findOne(this.#one(requestId));
    return found === null ? null : codeOf(found as CodeDocument);
  }

  insert({ request_id, ...rest }: CodeRequest, pending: readonly PendingEffect[]): Promise<boolean> {
    const purge_at = new Date(rest.created_at.getTime() + KEPT_MS);
    return isInserted(this.#rows, { _id: request_id, ...rest, purge_at, pending });
  }

  async takeTry(kind: AccessKind, requestId: string, maxTries: number, atMs: number): Promise<CodeRequest | null> {
    const open = { kind, status: 'PENDING', tries: { $lt: maxTries }, expires_at: { $gt: new Date(atMs) } };
    const taken = await this.#rows.findOneAndUpdate(
      { ...this.#one(requestId), ...open } as Filter<CodeDocument>,
      { $inc: { tries: 1 } } as never,
      { returnDocument: 'after', writeConcern: DURABLE },
    );
    return taken === null ? null : codeOf(taken as CodeDocument);
  }

  async step(requestId: string, { pending, ...changes }: CodeStep): Promise<CodeRequest | null> {
    const stepped = await this.#rows.findOneAndUpdate(
      { ...this.#one(requestId), status: 'PENDING' } as Filter<CodeDocument>,
      { $set: changes, $inc: { revision: 1 }, $push: { pending: { $each: pending } } } as never,
      { returnDocument: 'after', writeConcern: DURABLE },
    );
    return stepped === null ? null : codeOf(stepped as CodeDocument);
  }

  relay(requestId: string, pending: readonly PendingEffect[]): Promise<void> {
    return this.#outbox.relay(CODE_COLLECTION, requestId, pending);
  }

  #one(requestId: string): Filter<CodeDocument> {
    return { _id: requestId, tenant_id: this.#tenantId };
  }
}

/** Sessions by tenant; the one look-up without is that of a token, which tells the tenant. */
export function sessionStore(db: Db, outbox: EffectRelay): SessionStore {
  const rows = db.collection<SessionDocument>(SESSION_COLLECTION);
  return {
    forTenant: (tenantId) => tenantSessions(rows, outbox, tenantId),
    async byId(sessionId) {
      const found = await rows.findOne({ _id: sessionId });
      return found === null ? null : sessionOf(found as SessionDocument);
    },
  };
}

const tenantSessions = (
  rows: Collection<SessionDocument>,
  outbox: EffectRelay,
  tenantId: TenantId,
): TenantSessions => ({
  async get(sessionId) {
    const found = await rows.findOne({ _id: sessionId, tenant_id: tenantId });
    return found === null ? null : sessionOf(found as SessionDocument);
  },
  insert({ session: { session_id, ...rest }, pending }) {
    const purge_at = new Date(rest.ends_at.getTime() + KEPT_MS);
    return isInserted(rows, { _id: session_id, ...rest, purge_at, pending });
  },
  async replace({ session: { session_id, ...rest }, pending }: SessionWrite, revision) {
    const { matchedCount } = await rows.updateOne(
      { _id: session_id, tenant_id: tenantId, revision },
      { $set: rest, $push: { pending: { $each: pending } } } as never,
      { writeConcern: DURABLE },
    );
    return matchedCount === 1;
  },
  relay: ({ session, pending }) => outbox.relay(SESSION_COLLECTION, session.session_id, pending),
});

interface LimitDocument {
  readonly _id: string;
  readonly taken: number;
  readonly purge_at: Date;
}

/** Fixed windows: each row is one name's count within one of them. Names are members and addresses, so their HMAC is kept. */
export function codeLimits(db: Db, masterKey: MasterKey, clock: Clock): CodeLimits {
  const rows = db.collection<LimitDocument>(CODE_LIMIT_COLLECTION);
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
