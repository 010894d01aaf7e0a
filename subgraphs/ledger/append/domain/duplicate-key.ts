import { hash } from 'node:crypto';
import { type FactPayload, factPayloadOf, subjectName } from '../../../../shared/facts/fact.js';
import { canonicalJson } from '../../../../shared/json/canonical.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

/**
 * Recognises repeated envelopes by HMAC(tenant key, JCS(envelope as sent, without tenant_id)) (evidence.md section 3).
 * The key keeps a copy of the database from revealing the content of rows. The two hashes of RFC 2104 are written out: a
 * call of the platform's hash costs less than one of its HMAC objects.
 */
export class DuplicateKeys {
  /** The inner pad, then the text. */
  #inner: Buffer;
  /** The outer pad, then the inner hash. */
  readonly #outer: Buffer;

  /** @param tenantKey the tenant's own key, of at most 64 bytes */
  constructor(tenantKey: Uint8Array) {
    this.#inner = padded(tenantKey, 0x36, 4096);
    this.#outer = padded(tenantKey, 0x5c, BLOCK_BYTES + DIGEST_BYTES);
  }

  of(sent: string): string {
    const most = BLOCK_BYTES + sent.length * 3;
    if (this.#inner.length < most) this.#inner = Buffer.concat([this.#inner], most * 2);
    const end = BLOCK_BYTES + this.#inner.write(sent, BLOCK_BYTES);
    hash('sha256', this.#inner.subarray(0, end), 'buffer').copy(this.#outer, BLOCK_BYTES);
    return hash('sha256', this.#outer, 'hex');
  }
}

/** The key, padded to one block and masked, at the start of so many bytes. */
function padded(key: Uint8Array, mask: number, length: number): Buffer {
  const pad = Buffer.alloc(length);
  pad.set(key);
  for (let i = 0; i < BLOCK_BYTES; i++) pad[i] = (pad[i] ?? 0) ^ mask;
  return pad;
}

/**
 * Returns the key of the fact that an envelope states: source record, event type and effective time. The same fact with
 * different content is a conflict. The key is also the prefix of the duplicate index, so that one look-up serves both.
 */
function factKey(sourceRecordId: string, eventType: string, effectiveAtMs: number | null): string {
  // The separator cannot occur in the parts: ingest rejects control characters.
  return `${sourceRecordId}\u0000${eventType.toLowerCase()}\u0000${effectiveAtMs ?? ''}`;
}

/** Returns the bounds of all fact keys of one source record, so that the fact index also lists a record's events. */
export const factKeyRange = (sourceRecordId: string): { readonly from: string; readonly before: string } => ({
  from: `${sourceRecordId}\u0000`,
  before: `${sourceRecordId}\u0001`,
});

/** The keys that make an entry unique within its chain. */
interface UniqueKeys {
  readonly fact_key: string;
  readonly duplicate_key: string;
}

interface KeyedEntry {
  /** Members of the envelope or of the record. */
  readonly members: JsonObject;
  /** JCS of the envelope as sent, without tenant_id. */
  readonly sent: string;
  readonly eventType: string;
  /** Null if the effective time is only the time of receipt. */
  readonly effectiveAtMs: number | null;
}

/**
 * Returns the keys of an entry. Two facts of one subject after the same fact have the same keys, whatever they say: of
 * two concurrent changes the ledger accepts one.
 */
export function uniqueKeysOf(keys: DuplicateKeys, { members, sent, eventType, effectiveAtMs }: KeyedEntry): UniqueKeys {
  const fact = factPayloadOf(members);
  if (fact !== null) return stateFactKeys(keys, fact);
  return {
    fact_key: factKey(String(members['source_record_id']), eventType, effectiveAtMs),
    duplicate_key: keys.of(sent),
  };
}

/** Returns the keys of a fact. Only the tenant's own key makes them, so that no writer without it can make a fact. */
export const stateFactKeys = (
  keys: DuplicateKeys,
  { subject, previous }: Pick<FactPayload, 'subject' | 'previous'>,
): UniqueKeys => ({
  fact_key: stateFactKey(subjectName(subject), previous),
  duplicate_key: keys.of(canonicalJson({ kind: subject.kind, id: subject.id, previous })),
});

const FIRST = 'first';

/** Returns the fact_key of the fact after `previous`; null asks for the first fact of the subject. */
export const stateFactKey = (subject: string, previous: string | null): string =>
  `${subject}\u0000${previous ?? FIRST}`;
