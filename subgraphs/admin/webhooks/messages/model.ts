import type { Collection, Db } from 'mongodb';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { declareCollection } from '../../../../shared/records/collections.js';
import { insertNew } from '../model/unordered-insert.js';
import type { LedgerCursors, MessageSpan, MessageStore, StoredMessage, TenantMessages } from './ports.js';

/** Time for which a message can be delivered, recovered and read. */
const MESSAGE_KEPT_SECONDS = 30 * 24 * 60 * 60;

export const MESSAGE_COLLECTION = declareCollection(
  'messages',
  [{ tenant_id: 1, created_at: 1, _id: 1 }],
  [{ stored_at: 1 }, { expireAfterSeconds: MESSAGE_KEPT_SECONDS }],
);

/** `_id` is the message_id. */
interface MessageDocument extends Omit<StoredMessage, 'message_id' | 'test'> {
  readonly _id: string;
  readonly test?: true;
  /** Expiry counts from the insertion, so that a late message is stored as long as any other. */
  readonly stored_at: Date;
}

/** @param now clock of the insertion */
export function messageStore(db: Db, now: () => Date): MessageStore {
  const messages = db.collection<MessageDocument>(MESSAGE_COLLECTION.name, { promoteBuffers: true });
  return {
    forTenant: (tenantId) => new MongoTenantMessages(messages, tenantId, now),
    bodies: async (messageIds) => {
      const found = await messages
        .find({ _id: { $in: [...messageIds] } })
        .project<Pick<MessageDocument, '_id' | 'body'>>({ body: 1 })
        .toArray();
      return new Map(found.map(({ _id, body }) => [_id, body]));
    },
  };
}

class MongoTenantMessages implements TenantMessages {
  readonly #messages: Collection<MessageDocument>;
  readonly #tenantId: TenantId;
  readonly #now: () => Date;

  constructor(messages: Collection<MessageDocument>, tenantId: TenantId, now: () => Date) {
    this.#messages = messages;
    this.#tenantId = tenantId;
    this.#now = now;
  }

  async insert(messages: readonly StoredMessage[]): Promise<void> {
    const stored_at = this.#now();
    const documents = messages.map(({ message_id, test, ...rest }) => ({
      _id: message_id,
      ...rest,
      tenant_id: this.#tenantId,
      ...(test ? { test: true as const } : {}),
      stored_at,
    }));
    await insertNew(this.#messages, documents);
  }

  async get(messageId: string): Promise<StoredMessage | null> {
    const found = await this.#messages.findOne({ _id: messageId, tenant_id: this.#tenantId });
    return found === null ? null : { ...listedOf(found), body: found.body };
  }

  async list(span: MessageSpan): Promise<readonly Omit<StoredMessage, 'body'>[]> {
    const { fromMs, toMs, types, after, limit } = span;
    const behind = after
      ? [
          {
            $or: [
              { created_at: { $gt: new Date(after.atMs) } },
              { created_at: new Date(after.atMs), _id: { $gt: after.id } },
            ],
          },
        ]
      : [];
    const rows = await this.#messages
      .find({
        $and: [
          { tenant_id: this.#tenantId, created_at: { $gte: new Date(fromMs), $lt: new Date(toMs) } },
          { type: { $in: [...types] }, test: { $exists: false } },
          ...behind,
        ],
      })
      .sort({ tenant_id: 1, created_at: 1, _id: 1 })
      .limit(limit)
      .project<Omit<MessageDocument, 'body'>>({ body: 0 })
      .toArray();
    return rows.map(listedOf);
  }
}

const listedOf = ({
  _id,
  tenant_id,
  type,
  created_at,
  test,
}: Omit<MessageDocument, 'body'>): Omit<StoredMessage, 'body'> => ({
  message_id: _id,
  tenant_id,
  type,
  created_at,
  test: test === true,
});

interface CursorDocument {
  readonly _id: { readonly tenant_id: string; readonly source_system: string };
  readonly tenant_id: string;
  readonly seq: number;
}

const CURSORS = 'webhook_ledger_cursors';

/** Opens the cursors by tenant and chain and creates their index. */
export async function ledgerCursors(db: Db): Promise<LedgerCursors> {
  const cursors = db.collection<CursorDocument>(CURSORS, { writeConcern: { w: 1 } });
  await cursors.createIndex({ tenant_id: 1 });
  return {
    of: async (tenantId) => {
      const rows = await cursors.find({ tenant_id: tenantId }).toArray();
      return rows.map(({ _id: { source_system }, seq }) => ({ source_system, sequence: seq }));
    },
    advance: async (tenantId, heads) => {
      if (heads.length === 0) return;
      await cursors.bulkWrite(
        heads.map(({ source_system, sequence }) => ({
          updateOne: {
            filter: { _id: { tenant_id: tenantId, source_system } },
            update: { $max: { seq: sequence }, $set: { tenant_id: tenantId } },
            upsert: true,
          },
        })),
        { ordered: false },
      );
    },
  };
}
