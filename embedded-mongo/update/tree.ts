import { decodeRef } from '../bson/decode.js';
import { BsonWriter } from '../bson/encode.js';
import { compilePath, ElementCursor, RawRef, readName } from '../bson/raw.js';
import { BsonDoc, type BsonValue, T, typeOf } from '../bson/value.js';
import { itemAt } from '../checked-access.js';
import { refOf } from '../keystring/encode.js';

/** A value in a document under change: unchanged bytes, an opened document or array, or a new value. */
export type Slot = RawRef | LazyNode | BsonValue;

/** Unchanged bytes with the start of their element (type byte and name). */
class ElementRef extends RawRef {
  elementStart = 0;

  nameIs(name: Buffer): boolean {
    const start = this.elementStart + 1;
    if (this.start - 1 - start !== name.length) return false;
    for (let i = 0; i < name.length; i++) if (this.buffer[start + i] !== name[i]) return false;
    return true;
  }
}

/**
 * A document or array opened one level deep. Everything below stays bytes until a change needs it, and unchanged parts
 * are copied in as few pieces as possible.
 */
export class LazyNode {
  /** Empty for slots that are unchanged elements: their bytes contain the names. */
  readonly #names: string[] = [];
  readonly slots: Slot[] = [];

  constructor(readonly isArray: boolean) {}

  static open(ref: RawRef): LazyNode {
    const node = new LazyNode(ref.type === T.array);
    const cursor = new ElementCursor(ref.buffer, ref.start);
    while (cursor.next()) {
      const slot = new ElementRef();
      cursor.into(slot);
      slot.elementStart = cursor.elementStart;
      node.append('', slot);
    }
    return node;
  }

  static root(raw: Buffer): LazyNode {
    const ref = new RawRef();
    ref.point(raw, T.object, 0, raw.length);
    return LazyNode.open(ref);
  }

  indexOf(name: string): number {
    if (this.isArray) return Number(name) < this.slots.length ? Number(name) : -1;
    const bytes = nameBytes(name);
    for (let i = 0; i < this.slots.length; i++) {
      const slot = this.slots[i];
      if (slot instanceof ElementRef ? slot.nameIs(bytes) : this.#names[i] === name) return i;
    }
    return -1;
  }

  get(name: string): Slot | undefined {
    const at = this.indexOf(name);
    return at < 0 ? undefined : this.slots[at];
  }

  /** Replaces or appends; pads an array with nulls up to a position beyond its end. */
  set(name: string, value: Slot): void {
    const at = this.indexOf(name);
    if (at >= 0) {
      this.#names[at] = name;
      this.slots[at] = value;
      return;
    }
    if (this.isArray) while (this.slots.length < Number(name)) this.append(String(this.slots.length), null);
    this.append(name, value);
  }

  append(name: string, value: Slot): void {
    this.#names.push(name);
    this.slots.push(value);
  }

  /** Removes a field; an array element becomes null, so that the others keep their positions. */
  remove(name: string): void {
    const at = this.indexOf(name);
    if (at < 0) return;
    if (this.isArray) {
      this.set(name, null);
      return;
    }
    this.#names.splice(at, 1);
    this.slots.splice(at, 1);
  }

  /** Opens the slot as a node in place; returns undefined when it is not a document or array. */
  openAt(at: number): LazyNode | undefined {
    const slot = this.slots[at];
    const opened = slot === undefined ? undefined : openSlot(slot);
    if (!opened) return undefined;
    if (slot instanceof ElementRef) this.#names[at] = readName(slot.buffer, slot.elementStart + 1, slot.start - 1);
    this.slots[at] = opened;
    return opened;
  }

  toBuffer(sizeHintBytes: number): Buffer {
    const writer = new BsonWriter(sizeHintBytes);
    this.write(writer);
    return writer.finish();
  }

  write(writer: BsonWriter): void {
    const start = writer.open();
    let run: { buffer: Buffer; start: number; end: number } | undefined;
    for (let i = 0; i < this.slots.length; i++) {
      const slot = itemAt(this.slots, i);
      const name = this.#names[i] ?? '';
      if (slot instanceof ElementRef) {
        if (run && run.buffer === slot.buffer && run.end === slot.elementStart) run.end = slot.end;
        else {
          if (run) writer.raw(run.buffer, run.start, run.end);
          run = { buffer: slot.buffer, start: slot.elementStart, end: slot.end };
        }
        continue;
      }
      if (run) writer.raw(run.buffer, run.start, run.end);
      run = undefined;
      writeSlot(writer, name, slot);
    }
    if (run) writer.raw(run.buffer, run.start, run.end);
    writer.close(start);
  }
}

/** The bytes of a single name, which as part of a path holds no dot; remembered with the paths. */
function nameBytes(name: string): Buffer {
  return compilePath(name)[0]?.bytes ?? Buffer.from(name);
}

function writeSlot(writer: BsonWriter, name: string, slot: Slot): void {
  if (slot instanceof RawRef) {
    writer.rawElement(name, slot);
    return;
  }
  if (slot instanceof LazyNode) {
    writer.element(slot.isArray ? T.array : T.object, name);
    slot.write(writer);
    return;
  }
  writer.field(name, slot);
}

function openSlot(slot: Slot): LazyNode | undefined {
  if (slot instanceof LazyNode) return slot;
  if (slot instanceof RawRef) return slot.type === T.object || slot.type === T.array ? LazyNode.open(slot) : undefined;
  if (!Array.isArray(slot) && !(slot instanceof BsonDoc)) return undefined;
  const node = new LazyNode(Array.isArray(slot));
  const values = Array.isArray(slot) ? slot : slot.values;
  for (const [i, value] of values.entries()) node.append(Array.isArray(slot) ? String(i) : (slot.keys[i] ?? ''), value);
  return node;
}

/** Builds an array from slots that may have moved: assigns new names and keeps the value bytes. */
export function arrayOf(slots: readonly Slot[]): LazyNode {
  const node = new LazyNode(true);
  for (const [i, slot] of slots.entries()) node.append(String(i), detached(slot));
  return node;
}

/** The same bytes without their element's name, for a value that gets another. */
export function detached(slot: Slot): Slot {
  return slot instanceof ElementRef ? slot.copy() : slot;
}

export function slotType(slot: Slot): number {
  if (slot instanceof RawRef) return slot.type;
  if (slot instanceof LazyNode) return slot.isArray ? T.array : T.object;
  return typeOf(slot);
}

/** The elements of an array slot. */
export function slotElements(slot: Slot): readonly Slot[] {
  return openSlot(slot)?.slots ?? [];
}

export function slotRef(slot: Slot): RawRef {
  if (slot instanceof RawRef) return slot;
  if (slot instanceof LazyNode) {
    const bytes = slot.toBuffer(256);
    const ref = new RawRef();
    ref.point(bytes, slot.isArray ? T.array : T.object, 0, bytes.length);
    return ref;
  }
  return refOf(slot) ?? new RawRef();
}

export function slotValue(slot: Slot): BsonValue {
  return slot instanceof RawRef || slot instanceof LazyNode ? decodeRef(slotRef(slot)) : slot;
}
