import type { Collection, Db } from 'mongodb';
import { type Connection, type Model, Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { MessageSpan, MessageStore, StoredMessage, TenantMessages } from '../service/ports/message-store.js';

export const MESSAGE_COLLECTION = 'messages';

/** How long a message can be delivered, recovered and looked at. */
export const MESSAGE_KEPT_SECONDS = 30 * 24 * 60 * 60;

/** `_id` is the message_id. */
interface MessageDocument extends Omit<StoredMessage, 'message_id' | 'test'> {
  readonly _id: string;
  readonly test?: true;
  /** Not `created_at`: what was held up for long is kept as long as anything else. */
  readonly stored_at: Date;
}

// Indexes are declared here; reads and writes go through the driver's collection, as a message is written for each event.
const MESSAGE_SCHEMA = new Schema(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    type: { type: String, required: true },
    created_at: { type: Date, required: true },
    body: { type: Buffer, required: true },
    test: Boolean,
    stored_at: { type: Date, required: true },
  },
  { collection: MESSAGE_COLLECTION, versionKey: false, autoIndex: false },
);
MESSAGE_SCHEMA.index({ tenant_id: 1, created_at: 1, _id: 1 });
MESSAGE_SCHEMA.index({ stored_at: 1 }, { expireAfterSeconds: MESSAGE_KEPT_SECONDS });

export const messageModel = (connection: Connection): Model<unknown> =>
  (connection.models['WebhookMessage'] as Model<unknown> | undefined) ??
  (connection.model('WebhookMessage', MESSAGE_SCHEMA) as unknown as Model<unknown>);

/** @param now the time by which messages end. */
export function messageStore(db: Db, now: () => Date): MessageStore {
  const messages = db.collection<MessageDocument>(MESSAGE_COLLECTION);
  return {
    forTenant: (tenantId) => new MongoTenantMessages(messages, tenantId, now),
    bodies: async (messageIds) => {
      const found = await messages
        .find({ _id: { $in: [...messageIds] } })
        .project<Pick<MessageDocument, '_id' | 'body'>>({ body: 1 })
        .toArray();
      return new Map(found.map(({ _id, body }) => [_id, bufferOf(body)]));
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
    if (messages.length === 0) return;
    const stored_at = this.#now();
    const documents = messages.map(({ message_id, test, ...rest }) => ({
      _id: message_id,
      ...rest,
      tenant_id: this.#tenantId,
      ...(test ? { test } : {}),
      stored_at,
    }));
    await this.#messages.insertMany(documents, { ordered: false, writeConcern: DURABLE }).catch(ignoreDuplicates);
  }

  async get(messageId: string): Promise<StoredMessage | null> {
    const found = await this.#messages.findOne({ _id: messageId, tenant_id: this.#tenantId });
    return found === null ? null : { ...listedOf(found), body: bufferOf(found.body) };
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

/** The driver gives its own Binary. */
const bufferOf = (body: Buffer): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.from((body as unknown as { readonly buffer: Uint8Array }).buffer);

/** For inserts of what may be there already: whoever was first has won, and it is the same. */
export function ignoreDuplicates(error: unknown): void {
  const { writeErrors } = error as { readonly writeErrors?: unknown };
  const all = Array.isArray(writeErrors) ? writeErrors : [error];
  if (all.every((each) => duplicateKeyOf(each) !== undefined)) return;
  throw error;
}
