import { Frame } from '../aggregate/expr/frame.js';
import { BsonWriter } from '../bson/encode.js';
import { ElementCursor, RawRef } from '../bson/raw.js';
import { T } from '../bson/value.js';
import { fail } from '../errors.js';
import type { FieldRule, ProjectionField, ProjectionTree } from './tree.js';

/** `include` keeps only the named fields, `exclude` drops them, `add` keeps everything and sets computed values. */
type ProjectionMode = 'include' | 'exclude' | 'add';

/** Writes the projected form of one document; unchanged values are copied as bytes. */
export class Projector {
  readonly #last = new RawRef();
  readonly #mode: ProjectionMode;
  readonly #tree: ProjectionTree;

  constructor(mode: ProjectionMode, tree: ProjectionTree) {
    this.#mode = mode;
    this.#tree = tree;
  }

  apply(raw: Buffer, frame: Frame, arrayIndex: number): Buffer {
    const writer = new BsonWriter(raw.length + 64);
    this.#document(raw, 0, this.#tree, writer, { frame, arrayIndex });
    return writer.finish();
  }

  #document(buffer: Buffer, offset: number, tree: ProjectionTree, writer: BsonWriter, scope: Scope): void {
    const start = writer.open();
    const cursor = new ElementCursor(buffer, offset);
    const written = new Set<ProjectionField>();
    // After every named field was seen nothing more can be kept.
    let left = this.#mode === 'include' ? tree.fields.length : Number.POSITIVE_INFINITY;
    while (left > 0 && cursor.next()) {
      const field = tree.fields.find((one) => cursor.nameIs(one.bytes));
      if (!field) {
        if (this.#mode !== 'include') writer.raw(buffer, cursor.elementStart, cursor.valueEnd);
        continue;
      }
      left--;
      if (this.#element(cursor, field, writer, scope)) written.add(field);
    }
    for (const field of tree.fields) if (!written.has(field)) this.#late(field, buffer, offset, writer, scope);
    writer.close(start);
  }

  /** Writes a field that the document has; returns false when it comes after all stored fields. */
  #element(cursor: ElementCursor, field: ProjectionField, writer: BsonWriter, scope: Scope): boolean {
    const { rule } = field;
    switch (rule.kind) {
      case 'include':
        writer.raw(cursor.buffer, cursor.elementStart, cursor.valueEnd);
        return true;
      case 'exclude':
        return true;
      case 'compute':
        if (this.#mode !== 'add') return false;
        this.#computed(field.name, rule, writer, scope);
        return true;
      case 'slice':
        this.#slice(cursor, field.name, rule, writer);
        return true;
      case 'elemMatch':
        return false;
      case 'matched':
        this.#matched(cursor, field.name, writer, scope);
        return true;
      case 'inner':
        return this.#inner(cursor.into(new RawRef()), field.name, rule.tree, writer, scope);
    }
  }

  #inner(value: RawRef, name: string, tree: ProjectionTree, writer: BsonWriter, scope: Scope): boolean {
    if (value.type === T.object) {
      writer.element(T.object, name);
      this.#document(value.buffer, value.start, tree, writer, scope);
      return true;
    }
    if (value.type === T.array) {
      writer.element(T.array, name);
      this.#array(value, tree, writer, scope);
      return true;
    }
    if (this.#mode === 'exclude') writer.rawElement(name, value);
    else if (this.#mode === 'add') this.#made(name, tree, writer, scope);
    return this.#mode !== 'include';
  }

  /** Projects every element; a scalar is handled like a scalar in a field. */
  #array(array: RawRef, tree: ProjectionTree, writer: BsonWriter, scope: Scope): void {
    const start = writer.open();
    const cursor = new ElementCursor(array.buffer, array.start);
    for (let at = 0; cursor.next(); ) {
      const name = String(at);
      const scalar = cursor.type !== T.object && cursor.type !== T.array;
      if (scalar && this.#mode === 'include' && !tree.computes()) continue;
      if (!this.#inner(cursor.into(new RawRef()), name, tree, writer, scope)) this.#made(name, tree, writer, scope);
      at++;
    }
    writer.close(start);
  }

  /** Writes the fields after the stored ones: computed values, first matches, and their parent documents. */
  #late(field: ProjectionField, buffer: Buffer, offset: number, writer: BsonWriter, scope: Scope): void {
    const { rule } = field;
    if (rule.kind === 'compute') this.#computed(field.name, rule, writer, scope);
    else if (rule.kind === 'inner' && this.#mode !== 'exclude') this.#made(field.name, rule.tree, writer, scope);
    else if (rule.kind === 'elemMatch') this.#firstMatch(field, rule, buffer, offset, writer);
  }

  #made(name: string, tree: ProjectionTree, writer: BsonWriter, scope: Scope): void {
    if (!tree.computes()) return;
    writer.element(T.object, name);
    const start = writer.open();
    for (const { name: inner, rule } of tree.fields) {
      if (rule.kind === 'compute') this.#computed(inner, rule, writer, scope);
      else if (rule.kind === 'inner') this.#made(inner, rule.tree, writer, scope);
    }
    writer.close(start);
  }

  #computed(name: string, rule: Rule<'compute'>, writer: BsonWriter, scope: Scope): void {
    const value = rule.expression(scope.frame);
    if (value !== undefined) writer.field(name, value);
  }

  #slice(cursor: ElementCursor, name: string, rule: Rule<'slice'>, writer: BsonWriter): void {
    if (cursor.type !== T.array) {
      writer.raw(cursor.buffer, cursor.elementStart, cursor.valueEnd);
      return;
    }
    const elements = elementsOf(cursor.into(this.#last));
    const from = rule.skip >= 0 ? rule.skip : Math.max(0, elements.length + rule.skip);
    writeArray(name, elements.slice(from, from + rule.limit), writer);
  }

  #matched(cursor: ElementCursor, name: string, writer: BsonWriter, { arrayIndex }: Scope): void {
    if (cursor.type !== T.array) {
      writer.raw(cursor.buffer, cursor.elementStart, cursor.valueEnd);
      return;
    }
    const element = arrayIndex < 0 ? undefined : elementsOf(cursor.into(this.#last))[arrayIndex];
    if (!element) fail(51_246, "positional operator '.$' couldn't find a matching element in the array");
    writeArray(name, [element], writer);
  }

  #firstMatch(
    field: ProjectionField,
    rule: Rule<'elemMatch'>,
    buffer: Buffer,
    offset: number,
    writer: BsonWriter,
  ): void {
    const cursor = new ElementCursor(buffer, offset);
    while (cursor.next()) {
      if (!cursor.nameIs(field.bytes) || cursor.type !== T.array) continue;
      const array = cursor.into(new RawRef());
      const element = elementsOf(array)[rule.accepts(array)];
      if (element) writeArray(field.name, [element], writer);
      return;
    }
  }
}

interface Scope {
  readonly frame: Frame;
  readonly arrayIndex: number;
}

type Rule<K extends FieldRule['kind']> = Extract<FieldRule, { kind: K }>;

function elementsOf(array: RawRef): RawRef[] {
  const cursor = new ElementCursor(array.buffer, array.start);
  const elements: RawRef[] = [];
  while (cursor.next()) elements.push(cursor.into(new RawRef()));
  return elements;
}

function writeArray(name: string, elements: readonly RawRef[], writer: BsonWriter): void {
  writer.element(T.array, name);
  const start = writer.open();
  for (const [at, element] of elements.entries()) writer.rawElement(String(at), element);
  writer.close(start);
}
