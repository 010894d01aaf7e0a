import { BlockHasher, type HmacKey, viewOf } from '../../../shared/evidence/block-hasher.js';
import { DIGEST_BYTES } from '../../../shared/evidence/sha256-block.js';

/**
 * Recognises an envelope that came before: the HMAC, under the tenant's own key, of JCS(envelope as sent, without
 * tenant_id) (evidence.md section 3). Keyed, so that a copy of the database does not tell which content a row holds.
 */
export class DuplicateKeys {
  readonly #hasher = new BlockHasher();
  readonly #key: HmacKey;
  readonly #digest = Buffer.alloc(DIGEST_BYTES);
  readonly #digestView = viewOf(this.#digest);

  /** @param tenantKey the tenant's own key. */
  constructor(tenantKey: Uint8Array) {
    this.#key = this.#hasher.hmacKey(tenantKey);
  }

  of(sent: string): string {
    this.#hasher.start().text(sent).hmacInto(this.#key, this.#digestView, 0);
    return this.#digest.toString('hex');
  }
}

/**
 * What makes two envelopes speak of the same fact: record, type and effective time within a source system. The same
 * fact with other content is a conflict; it is also the front of the duplicate index, so that one look-up serves both.
 */
export function factKey(sourceRecordId: string, eventType: string, effectiveAtMs: number | null): string {
  // The separator cannot occur in the parts: control characters are refused at ingest.
  return `${sourceRecordId}\u0000${eventType.toLowerCase()}\u0000${effectiveAtMs ?? ''}`;
}

/** Bounds of every fact key of one source record: the index of facts also lists a record's events. */
export const factKeyRange = (sourceRecordId: string): { readonly from: string; readonly before: string } => ({
  from: `${sourceRecordId}\u0000`,
  before: `${sourceRecordId}\u0001`,
});
