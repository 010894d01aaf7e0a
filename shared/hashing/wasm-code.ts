/**
 * The part of WebAssembly's binary format (core specification, section 5) that one hand-written vector function needs. Each
 * function returns the bytes of its operands, then of its instruction.
 */
export type Code = readonly number[];

export const I32 = 0x7f;
export const V128 = 0x7b;

const FUNCTION_TYPE = 0x60;
const END = 0x0b;
const NO_RESULT = 0x40;

/** Unsigned LEB128. */
function leb(value: number): number[] {
  const low = value & 0x7f;
  return value < 0x80 ? [low] : [low | 0x80, ...leb(value >>> 7)];
}

/** A constant up to 8191, which stays positive as signed LEB128. */
export const constant = (value: number): Code =>
  value < 0x40 ? [0x41, value] : [0x41, (value & 0x7f) | 0x80, value >>> 7];

export const get = (local: number): Code => [0x20, ...leb(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...leb(local)];
/** Sets the local and keeps the value. */
export const tee = (local: number, value: Code): Code => [...value, 0x22, ...leb(local)];

export const addWord = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
export const subtractWord = (a: Code, b: Code): Code => [...a, ...b, 0x6b];
export const loadWord = (address: Code, offset: number): Code => [...address, 0x28, 2, ...leb(offset)];

const vector = (opcode: number, ...operands: Code[]): Code => [...operands.flat(), 0xfd, ...leb(opcode)];

// The alignment is only a hint; 0 promises none.
export const load = (address: Code, offset: number): Code => [...vector(0x00, address), 0, ...leb(offset)];
export const store = (address: Code, value: Code, offset: number): Code => [
  ...vector(0x0b, address, value),
  0,
  ...leb(offset),
];
/** One word of memory in all four lanes. */
export const loadSplat = (address: Code, offset: number): Code => [...vector(0x09, address), 2, ...leb(offset)];
export const splat = (word: Code): Code => vector(0x11, word);

/** Selects bytes from a (0–15) and b (16–31). */
export const shuffle = (a: Code, b: Code, bytes: readonly number[]): Code => [...vector(0x0d, a, b), ...bytes];

export const and = (a: Code, b: Code): Code => vector(0x4e, a, b);
export const or = (a: Code, b: Code): Code => vector(0x50, a, b);
export const xor = (a: Code, b: Code): Code => vector(0x51, a, b);
export const anyTrue = (a: Code): Code => vector(0x53, a);
export const shiftLeft = (a: Code, bits: number): Code => vector(0xab, [...a, ...constant(bits)]);
export const shiftRight = (a: Code, bits: number): Code => vector(0xad, [...a, ...constant(bits)]);
export const add = (first: Code, ...more: Code[]): Code => more.reduce((sum, next) => vector(0xae, sum, next), first);
export const subtract = (a: Code, b: Code): Code => vector(0xb1, a, b);
/** All ones in the lanes where a > b, signed. */
export const greater = (a: Code, b: Code): Code => vector(0x3b, a, b);

/** Runs the body, and repeats it while the condition holds. */
export const loopWhile = (body: Code, condition: Code): Code => [0x03, NO_RESULT, ...body, ...condition, 0x0d, 0, END];

interface WasmFunction {
  readonly name: string;
  /** Number of i32 parameters; the function returns nothing. */
  readonly parameters: number;
  /** Runs of locals after the parameters: count and type. */
  readonly locals: readonly (readonly [count: number, type: number])[];
  readonly body: Code;
}

/** Makes a module of one function and one memory of `pages` times 64 KiB, both exported. */
export function moduleBytes(written: WasmFunction, pages: number): Uint8Array<ArrayBuffer> {
  const sized = (bytes: Code): number[] => [...leb(bytes.length), ...bytes];
  const section = (id: number, items: readonly Code[]): number[] => [
    id,
    ...sized([...leb(items.length), ...items.flat()]),
  ];
  const text = (name: string): number[] => sized(Array.from(name, (letter) => letter.charCodeAt(0)));
  const parameters = Array.from({ length: written.parameters }, () => I32);
  const locals = written.locals.flatMap(([count, type]) => [...leb(count), type]);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [[FUNCTION_TYPE, ...sized(parameters), 0]]),
    ...section(3, [[0]]),
    ...section(5, [[1, ...leb(pages), ...leb(pages)]]),
    ...section(7, [
      [...text('memory'), 2, 0],
      [...text(written.name), 0, 0],
    ]),
    ...section(10, [sized([...leb(written.locals.length), ...locals, ...written.body, END])]),
  ]);
}
