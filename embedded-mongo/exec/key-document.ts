import { BsonWriter } from '../bson/encode.js';
import { T } from '../bson/value.js';
import type { Index } from '../catalog/index-definition.js';
import { fieldEnd, writeElement } from '../keystring/decode.js';
import type { Coverage } from '../planner/plan.js';

/** A field to write, or a document of fields: `{a: {b: …}}` for `a.b`. */
type Part =
  | { readonly name: string; readonly field: number }
  | { readonly name: string; readonly parts: readonly Part[] };

/** Builds documents from index keys with the fields that a covered query needs. */
export class KeyDocument {
  readonly #parts: readonly Part[];
  readonly #lastField: number;
  readonly #descends: boolean;
  readonly #ends: number[] = [];
  readonly #writer = new BsonWriter();
  #scratch = Buffer.alloc(0);
  readonly #index: Index;

  constructor(index: Index, { fields }: Coverage) {
    this.#index = index;
    const paths = fields.map((field) => ({ field, names: (index.fields[field]?.path ?? '').split('.') }));
    const isId = (names: readonly string[]) => (names[0] === '_id' ? 0 : 1);
    // `_id` comes first, as stored. The order of other fields is unknown; they follow the index, as on MongoDB.
    this.#parts = partsOf(paths.sort((a, b) => isId(a.names) - isId(b.names) || a.field - b.field));
    this.#lastField = Math.max(-1, ...fields);
    this.#descends = index.fields.some(({ direction }) => direction < 0);
  }

  /** Returns the document of a key, valid until the next call; undefined where the key is not enough. */
  read(keyString: Buffer): Buffer | undefined {
    const index = this.#index;
    const writer = this.#writer;
    // The index may change while the query runs.
    if (!index.keyTypes || index.multikey || index.cut || index.outdated) return undefined;
    const key = this.#split(keyString);
    writer.restart();
    const start = writer.open();
    if (!this.#write(key, this.#parts, index.keyTypes.masks)) return undefined;
    writer.close(start);
    return writer.memory.subarray(0, writer.length);
  }

  /** Finds where the fields end; those that descend are inverted back, in a copy. */
  #split(keyString: Buffer): Buffer {
    const key = this.#descends ? this.#copy(keyString) : keyString;
    let at = 0;
    for (let field = 0; field <= this.#lastField; field++) {
      const inverted = this.#index.fields[field]?.direction === -1;
      if (inverted) invert(key, at);
      at = fieldEnd(key, at);
      this.#ends[field] = at;
      if (inverted) invert(key, at);
    }
    return key;
  }

  #copy(keyString: Buffer): Buffer {
    if (this.#scratch.length < keyString.length) this.#scratch = Buffer.alloc(keyString.length * 2);
    keyString.copy(this.#scratch);
    return this.#scratch.subarray(0, keyString.length);
  }

  #write(key: Buffer, parts: readonly Part[], masks: readonly number[], inner = false): boolean {
    for (const part of parts) {
      if ('parts' in part) {
        this.#writer.element(T.object, part.name);
        const start = this.#writer.open();
        if (!this.#write(key, part.parts, masks, true)) return false;
        this.#writer.close(start);
        continue;
      }
      const { field, name } = part;
      const at = field === 0 ? 0 : (this.#ends[field - 1] ?? 0);
      const result = writeElement(this.#writer, name, key, at, this.#ends[field] ?? 0, masks[field] ?? 0);
      // For a missing `a.b` the key does not say whether `a` exists.
      if (result === 'unknown' || (result === 'missing' && inner)) return false;
    }
    return true;
  }
}

function partsOf(fields: readonly { readonly field: number; readonly names: readonly string[] }[]): Part[] {
  const firstNames = new Set(fields.map(({ names }) => names[0] ?? ''));
  return [...firstNames].map((name) => {
    const group = fields.filter(({ names }) => names[0] === name);
    const [only] = group;
    if (only?.names.length === 1) return { name, field: only.field };
    return { name, parts: partsOf(group.map(({ field, names }) => ({ field, names: names.slice(1) }))) };
  });
}

function invert(bytes: Buffer, from: number): void {
  for (let i = from; i < bytes.length; i++) bytes[i] = ~(bytes[i] ?? 0);
}
