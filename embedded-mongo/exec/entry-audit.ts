import type { Collection } from '../catalog/collection.js';
import type { Index } from '../catalog/index-definition.js';
import type { DocumentStore } from '../store/document-store.js';
import type { Bytes } from '../store/environment.js';
import { prefixKey, readRid, ridBytes } from '../store/keys.js';
import { keyStringOf } from './index-scan.js';

const entriesPerStep = 256;
/** Keys of documents with many are kept a while: each of their entries asks for all of them. */
const keptDocuments = 32;
const keptFromKeys = 16;

interface Kept {
  readonly raw: Buffer;
  readonly keys: ReadonlySet<string>;
}

/** Walks an index in key order and looks for entries that no record calls for. */
export class EntryAudit {
  entries = 0;
  strays = 0;
  private lastKey: Buffer | undefined;
  private readonly kept = new Map<number, Kept>();

  constructor(
    private readonly store: DocumentStore,
    private readonly data: Bytes,
    private readonly collection: Collection,
    private readonly index: Index,
  ) {}

  /** Looks at the next entries; false when there are none left. */
  step(): boolean {
    const { index } = this;
    const start = this.lastKey ?? prefixKey(index.id);
    const found = [...this.data.getRange({ start, end: prefixKey(index.id + 1), limit: entriesPerStep + 1 })];
    let fresh = 0;
    for (const { key, value } of found) {
      if (this.lastKey?.equals(key)) continue;
      fresh += 1;
      this.entries += 1;
      this.lastKey = key;
      const rid = index.unique ? readRid(value, 0) : readRid(key, key.length - ridBytes);
      if (!this.keysOf(rid)?.has(keyStringOf(key, index.unique).toString('latin1'))) this.strays += 1;
    }
    return fresh > 0;
  }

  private keysOf(rid: number): ReadonlySet<string> | undefined {
    const raw = this.store.read(this.collection.id, rid);
    if (!raw) return undefined;
    const kept = this.kept.get(rid);
    if (kept?.raw.equals(raw)) return kept.keys;
    const keys = new Set(this.store.entriesCalledFor(this.index, raw).map((key) => key.toString('latin1')));
    if (keys.size >= keptFromKeys) {
      const oldest = this.kept.size >= keptDocuments ? this.kept.keys().next().value : undefined;
      if (oldest !== undefined) this.kept.delete(oldest);
      this.kept.set(rid, { raw, keys });
    }
    return keys;
  }
}
