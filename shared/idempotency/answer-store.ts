import { type Db, GridFSBucket, ObjectId } from 'mongodb';
import type { MasterKey } from '../crypto/master-key.js';
import { DURABLE } from '../db/database.js';
import type { ErrorCode } from '../errors/registry.js';
import type { Randomness } from '../ids/ids.js';
import { type ClaimId, claimName } from './request-key.js';

/** An answer at rest, inside its claim's row. */
export interface StoredAnswer {
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly headers: Readonly<Record<string, string>>;
  /** True where the body is wrapped by the master key. */
  readonly sealed: boolean;
  /** Null for a large one, which is in GridFS under file_id. */
  readonly body: Buffer | null;
  readonly file_id: ObjectId | null;
}

interface AnswerStoreDeps {
  readonly db: Db;
  readonly masterKey: MasterKey;
  readonly randomness: Randomness;
}

/** A row stays far below the largest document of 16 MiB, and cheap to read. */
const MAX_INLINE_BYTES = 256 * 1024;
const BUCKET = 'idempotency_answers';

export class AnswerStore {
  readonly #deps: AnswerStoreDeps;
  readonly #bucket: GridFSBucket;

  constructor(deps: AnswerStoreDeps) {
    this.#deps = deps;
    this.#bucket = new GridFSBucket(deps.db, { bucketName: BUCKET, writeConcern: DURABLE });
  }

  async prepare(): Promise<void> {
    const { db } = this.#deps;
    await db.collection(`${BUCKET}.files`).createIndex({ 'metadata.expires_at': 1 });
    await db.collection(`${BUCKET}.chunks`).createIndex({ files_id: 1, n: 1 }, { unique: true });
  }

  async pack(id: ClaimId, answer: FirstAnswer, sealed: boolean, expiresAt: Date): Promise<StoredAnswer> {
    const { status, code, headers, body } = answer;
    const bytes = sealed ? this.#deps.masterKey.wrap(body, contextOf(id), this.#deps.randomness) : body;
    if (bytes.length <= MAX_INLINE_BYTES) return { status, code, headers, sealed, body: bytes, file_id: null };
    return { status, code, headers, sealed, body: null, file_id: await this.#upload(bytes, expiresAt) };
  }

  async unpack(id: ClaimId, { status, code, headers, sealed, body, file_id }: StoredAnswer): Promise<FirstAnswer> {
    const bytes = body ?? (await this.#download(file_id));
    return { status, code, headers, body: sealed ? this.#deps.masterKey.unwrap(bytes, contextOf(id)) : bytes };
  }

  /** Deletes expired large answers, including those of crashed attempts that no row names. */
  async sweep(nowMs: number): Promise<number> {
    const expired = this.#bucket.find({ 'metadata.expires_at': { $lte: new Date(nowMs) } });
    let removed = 0;
    for await (const { _id } of expired) {
      await this.#bucket.delete(_id);
      removed++;
    }
    return removed;
  }

  #upload(bytes: Buffer, expiresAt: Date): Promise<ObjectId> {
    return new Promise((resolve, reject) => {
      const upload = this.#bucket.openUploadStream('answer', { metadata: { expires_at: expiresAt } });
      upload.once('error', reject);
      upload.once('finish', () => resolve(upload.id));
      upload.end(bytes);
    });
  }

  async #download(fileId: ObjectId | null): Promise<Buffer> {
    if (fileId === null) throw new Error('a kept answer has no body');
    const chunks: Buffer[] = [];
    for await (const chunk of this.#bucket.openDownloadStream(fileId)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
}

/** Authenticated with a sealed answer, so that it cannot be put under another key. */
const contextOf = (id: ClaimId): string => `idempotency:${claimName(id)}`;

/** An answer as it went out the first time. */
export interface FirstAnswer {
  readonly status: number;
  /** Of an error answer. */
  readonly code: ErrorCode | null;
  /** The headers that belong to the answer and not to the exchange: content-type, location, etag, deprecation. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const NEVER_KEPT: ReadonlySet<number> = new Set([401, 403, 429]);

/** Answers that a repeat shall see again; all others free the key, because asking again may go otherwise. */
export const isKept = ({ status, code }: FirstAnswer): boolean =>
  status < 500 && !NEVER_KEPT.has(status) && code !== 'IDEMPOTENCY_IN_PROGRESS';
