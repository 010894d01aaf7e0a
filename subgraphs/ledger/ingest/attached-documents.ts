import { hash } from 'node:crypto';
import type { Documents, FiledDocument } from '../../../shared/contracts/documents.js';
import { cleanFilename } from '../../../shared/files/clean-filename.js';
import { isTenantId } from '../../../shared/ids/tenant.js';
import type { TenantContext } from '../append/index.js';
import type { AttachedDocument, EventItem } from '../formats/index.js';

/** The longest document that a format passes on. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,63}\/[a-z0-9!#$&^_.+-]{1,63}$/;
const MAX_TITLE = 200;

type StoredDocument = Pick<FiledDocument, 'sha256' | 'size' | 'media_type' | 'filename' | 'title'>;

/**
 * The documents inside one raw message on their way to the vault. Their bytes are stored when their event is read, so
 * that none is held; they become documents when the event has its identifier.
 */
export class AttachedDocuments {
  readonly #tenant: Pick<TenantContext, 'tenantId' | 'worm'>;
  readonly #documents: Pick<Documents, 'file'>;
  readonly #stored = new Map<number, readonly StoredDocument[]>();

  constructor(tenant: Pick<TenantContext, 'tenantId' | 'worm'>, documents: Pick<Documents, 'file'>) {
    this.#tenant = tenant;
    this.#documents = documents;
  }

  /** Stores the bytes of an event's documents. @throws UNAVAILABLE */
  async store({ index, documents = [] }: EventItem): Promise<void> {
    if (documents.length === 0) return;
    const stored = new Map<string, StoredDocument>();
    for (const document of documents) {
      const sha256 = hash('sha256', document.bytes, 'hex');
      if (stored.has(sha256)) continue;
      await this.#tenant.worm.putBlob(once(document.bytes), MAX_DOCUMENT_BYTES);
      stored.set(sha256, { sha256, size: document.bytes.length, ...describe(document) });
    }
    this.#stored.set(index, [...stored.values()]);
  }

  /** Creates the documents of an event; those of a retransmission exist already. @throws UNAVAILABLE */
  async file({ index, envelope }: EventItem, eventId: string): Promise<void> {
    const stored = this.#stored.get(index) ?? [];
    this.#stored.delete(index);
    if (stored.length === 0) return;
    const { tenantId } = this.#tenant;
    if (!isTenantId(tenantId)) throw new Error('a raw message belongs to a tenant');
    for (const document of stored) {
      await this.#documents.file(tenantId, {
        ...document,
        event_id: eventId,
        member_id: envelope.member_id ?? null,
        source_system: envelope.source_system,
        effective_at: envelope.event_effective_timestamp,
      });
    }
  }
}

function describe({ mediaType, filename, title = '' }: AttachedDocument): Omit<StoredDocument, 'sha256' | 'size'> {
  const stated = mediaType.toLowerCase();
  const words = title
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, MAX_TITLE);
  return {
    media_type: MEDIA_TYPE.test(stated) ? stated : 'application/octet-stream',
    filename: cleanFilename(filename),
    title: words === '' ? null : words,
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
