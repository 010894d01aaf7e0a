import { BsonWriter } from '../bson/encode.js';
import { T } from '../bson/types.js';
import type { Index } from '../catalog/index-definition.js';
import { fieldEnd, writeElement } from '../keystring/decode.js';
import type { Coverage } from '../planner/coverage.js';

/** A field to write, or a document of fields: `{a: {b: …}}` for `a.b`. */
type Part =
  | { readonly name: string; readonly field: number }
  | { readonly name: string; readonly parts: readonly Part[] };

/** Makes, of an index's keys, documents that hold the fields a covered query needs. */
export class KeyDocument {
  private readonly parts: readonly Part[];
  private readonly lastField: number;
  private readonly descends: boolean;
  private readonly ends: number[] = [];
  private readonly writer = new BsonWriter();
  private scratch = Buffer.alloc(0);

  constructor(
    private readonly index: Index,
    { fields }: Coverage,
  ) {
    const paths = fields.map((field) => ({ field, names: (index.fields[field]?.path ?? '').split('.') }));
    const isId = (names: readonly string[]) => (names[0] === '_id' ? 0 : 1);
    // As stored: `_id` comes first. The order of the others is not known; they come as in the index, as on MongoDB.
    this.parts = partsOf(paths.sort((a, b) => isId(a.names) - isId(b.names) || a.field - b.field));
    this.lastField = Math.max(-1, ...fields);
    this.descends = index.fields.some(({ direction }) => direction < 0);
  }

  /** The document of a key, good until the next call; undefined where the key does not tell all of it. */
  read(keyString: Buffer): Buffer | undefined {
    const { index, writer } = this;
    // What holds of the index when a query is planned may cease to before it ends.
    if (!index.keyTypes || index.multikey || index.cut || index.outdated) return undefined;
    const key = this.split(keyString);
    writer.restart();
    const start = writer.open();
    if (!this.write(key, this.parts, index.keyTypes.masks)) return undefined;
    writer.close(start);
    return writer.memory.subarray(0, writer.length);
  }

  /** Finds where the fields end; those that descend are inverted back, in a copy. */
  private split(keyString: Buffer): Buffer {
    const key = this.descends ? this.copy(keyString) : keyString;
    let at = 0;
    for (let field = 0; field <= this.lastField; field++) {
      const inverted = this.index.fields[field]?.direction === -1;
      if (inverted) invert(key, at);
      at = fieldEnd(key, at);
      this.ends[field] = at;
      if (inverted) invert(key, at);
    }
    return key;
  }

  private copy(keyString: Buffer): Buffer {
    if (this.scratch.length < keyString.length) this.scratch = Buffer.alloc(keyString.length * 2);
    keyString.copy(this.scratch);
    return this.scratch.subarray(0, keyString.length);
  }

  private write(key: Buffer, parts: readonly Part[], masks: readonly number[], inner = false): boolean {
    for (const part of parts) {
      if ('parts' in part) {
        this.writer.element(T.object, part.name);
        const start = this.writer.open();
        if (!this.write(key, part.parts, masks, true)) return false;
        this.writer.close(start);
        continue;
      }
      const { field, name } = part;
      const at = field === 0 ? 0 : (this.ends[field - 1] as number);
      const told = writeElement(this.writer, name, key, at, this.ends[field] as number, masks[field] as number);
      // Of a missing `a.b` it is not known whether `a` is there.
      if (told === 'unknown' || (told === 'missing' && inner)) return false;
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
  for (let i = from; i < bytes.length; i++) bytes[i] = ~(bytes[i] as number);
}
