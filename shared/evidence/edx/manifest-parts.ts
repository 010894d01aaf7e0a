import { problem } from '../../errors/problem.js';
import type { JsonValue } from '../../json/strict-json.js';

// A manifest lists up to a million events in some 300 MB: more than one string of the engine should hold. It is read member
// by member as its bytes come by, the lists element by element, in memory of one element.

/** A member of the manifest, or one element of a member that is a list. */
interface ManifestPart {
  readonly member: string;
  readonly isElement: boolean;
  readonly value: JsonValue;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** @param wanted members that are given; the others are passed over without being parsed. @throws INTEGRITY_FAILURE */
export async function* manifestParts(
  chunks: AsyncIterable<Uint8Array>,
  wanted: (member: string) => boolean,
): AsyncGenerator<ManifestPart> {
  const scanner = new Scanner(wanted);
  for await (const chunk of chunks) yield* scanner.push(chunk);
  if (!scanner.isDone) throw torn();
}

/** The elements of one list of the manifest. */
export async function* listed<T>(chunks: AsyncIterable<Uint8Array>, list: 'events' | 'documents'): AsyncGenerator<T> {
  for await (const part of manifestParts(chunks, (member) => member === list)) {
    // The service built the archive, so its elements have the form of the manifest.
    if (part.isElement) yield part.value as T;
  }
}

const torn = () => problem('INTEGRITY_FAILURE', { internal: 'the manifest of a sealed archive does not read' });

class Scanner {
  readonly #wanted: (member: string) => boolean;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #inList = false;
  #isGiven = false;
  #member = '';
  #isWanted = false;
  /** Captured bytes of earlier chunks, and the start of this chunk's share. */
  #held: Buffer[] = [];
  #start = 0;
  isDone = false;

  constructor(wanted: (member: string) => boolean) {
    this.#wanted = wanted;
  }

  push(chunk: Uint8Array): ManifestPart[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const parts: ManifestPart[] = [];
    this.#start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) this.#inString = true;
      else if (byte === COLON || byte === COMMA || byte >= OPEN_LIST) this.#mark(bytes, at, byte, parts);
    }
    if (this.#start < bytes.length && !this.isDone) this.#held.push(Buffer.from(bytes.subarray(this.#start)));
    return parts;
  }

  /** A byte of structure, outside of strings. */
  #mark(bytes: Buffer, at: number, byte: number, parts: ManifestPart[]): void {
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      this.#depth += 1;
      if (this.#depth === 1) this.#restart(at);
      // The list itself is the value, not a list inside of it.
      const isValue = this.#depth === 2 && byte === OPEN_LIST && this.#held.length === 0 && this.#start === at;
      if (isValue) {
        this.#inList = true;
        this.#restart(at);
      }
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#close(bytes, at, byte, parts);
    else if (byte === COMMA) {
      if (this.#depth === 1) this.#give(bytes, at, parts, false);
      if (this.#depth === 1) this.#isGiven = false;
      if (this.#depth === 2 && this.#inList) this.#give(bytes, at, parts, true);
    } else if (byte === COLON && this.#depth === 1) {
      this.#member = String(this.#parsed(bytes, at));
      this.#isWanted = this.#wanted(this.#member);
      this.#restart(at);
    }
  }

  #close(bytes: Buffer, at: number, byte: number, parts: ManifestPart[]): void {
    if (this.#depth === 2 && this.#inList) {
      if (byte !== CLOSE_LIST) throw torn();
      const isEmpty = this.#held.length === 0 && this.#start === at;
      if (!isEmpty) this.#give(bytes, at, parts, true);
      this.#inList = false;
      this.#isGiven = true;
    } else if (this.#depth === 1) {
      this.#give(bytes, at, parts, false);
      this.isDone = true;
    }
    this.#depth -= 1;
  }

  #give(bytes: Buffer, at: number, parts: ManifestPart[], isElement: boolean): void {
    const isMade = isElement || !this.#isGiven;
    if (isMade && this.#isWanted) parts.push({ member: this.#member, isElement, value: this.#parsed(bytes, at) });
    this.#restart(at);
  }

  #parsed(bytes: Buffer, at: number): JsonValue {
    try {
      return JSON.parse(Buffer.concat([...this.#held, bytes.subarray(this.#start, at)]).toString('utf8'));
    } catch {
      throw torn();
    }
  }

  #restart(at: number): void {
    this.#held = [];
    this.#start = at + 1;
  }
}
