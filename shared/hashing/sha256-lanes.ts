import { BLOCK_BYTES } from './sha256-block.js';
import {
  add,
  addWord,
  and,
  anyTrue,
  type Code,
  constant,
  get,
  greater,
  I32,
  load,
  loadSplat,
  loadWord,
  loopWhile,
  moduleBytes,
  or,
  set,
  shiftLeft,
  shiftRight,
  shuffle,
  splat,
  store,
  subtract,
  subtractWord,
  tee,
  V128,
  xor,
} from './wasm-code.js';

/**
 * SHA-256 of four messages at once, as a WebAssembly module: each vector holds the same word of four messages
 * ("lanes"). JavaScript has no vector type, and a call into the platform's hash costs more than a short message.
 *
 * The module exports `memory` and `fold(groups, count, initial)`: `groups` is the address of `count` group records; each
 * lane starts from the eight words at `initial`, folds its blocks in and writes its digest to its target.
 */
export const LANES = 4;

/** A group record: four addresses of padded messages, four numbers of blocks, four addresses for the digests. */
export const GROUP = { addresses: 0, blocks: 16, targets: 32, size: 48 } as const;

/** Address at which the caller puts the 64 round constants, each four times: 1024 bytes. */
export const ROUND_CONSTANTS_AT = 0;
const VECTOR_BYTES = 16;
/** Address of the 64 words of the module's schedule, of four lanes each. */
const SCHEDULE_AT = 64 * VECTOR_BYTES;
/** Start of the caller's memory. */
export const FREE_FROM = 2 * SCHEDULE_AT;

// The function's parameters and locals.
const [GROUPS, COUNT, INITIAL] = [0, 1, 2];
const COUNT_OF_PARAMETERS = 3;
const MESSAGES = [3, 4, 5, 6];
const PLACE = 7;
const STATE = [8, 9, 10, 11, 12, 13, 14, 15];
const WORKING = [16, 17, 18, 19, 20, 21, 22, 23];
const SPARE = [24, 25, 26, 27];
const ROWS = [28, 29, 30, 31];
const BLOCKS_LEFT = 32;

/** The local with that index, counted round. */
const at = (locals: readonly number[], index: number): number => locals[index % locals.length] ?? 0;

const rotated = (x: number, bits: number): Code => or(shiftRight(get(x), bits), shiftLeft(get(x), 32 - bits));
/** The Σ functions (FIPS 180-4 section 4.1.2). */
const bigSigma = (x: number, r1: number, r2: number, r3: number): Code =>
  xor(xor(rotated(x, r1), rotated(x, r2)), rotated(x, r3));
/** The σ functions. */
const smallSigma = (x: number, r1: number, r2: number, shift: number): Code =>
  xor(xor(rotated(x, r1), rotated(x, r2)), shiftRight(get(x), shift));

const scheduled = (step: number): Code => load(get(PLACE), SCHEDULE_AT + step * VECTOR_BYTES);

/** Word 16 + step of the schedule after PLACE (section 6.2.2 step 1). */
function extend(step: number): Code {
  const [x, y] = [at(SPARE, 0), at(SPARE, 1)];
  const word = add(scheduled(step), scheduled(step + 9), smallSigma(x, 7, 18, 3), smallSigma(y, 17, 19, 10));
  return [
    ...set(x, scheduled(step + 1)),
    ...set(y, scheduled(step + 14)),
    ...store(get(PLACE), word, SCHEDULE_AT + (step + 16) * VECTOR_BYTES),
  ];
}

/** One round (step 3); the eight variables change names instead of places. */
function round(step: number): Code {
  const working = (i: number): number => at(WORKING, i + 8 - step);
  const [a, b, d, e, h] = [working(0), working(1), working(3), working(4), working(7)];
  const [f, g] = [get(working(5)), get(working(6))];
  const choice = xor(and(get(e), xor(f, g)), g);
  // Maj(a, b, c) = b ^ ((a ^ b) & (b ^ c)), and b ^ c equals a ^ b of the previous round.
  const majority = xor(get(b), and(tee(at(SPARE, step % 2), xor(get(a), get(b))), get(at(SPARE, (step + 1) % 2))));
  const key = load(get(PLACE), ROUND_CONSTANTS_AT + step * VECTOR_BYTES);
  return [
    ...set(h, add(get(h), add(scheduled(step), key), choice, bigSigma(e, 6, 11, 25))),
    ...set(d, add(get(d), get(h))),
    ...set(h, add(get(h), majority, bigSigma(a, 2, 13, 22))),
  ];
}

/** Eight steps at a time: with more, the compiler runs out of registers and the code gets slower. */
const STEPS = 8;

function inSteps(total: number, step: (index: number) => Code): Code {
  const body = [
    ...Array.from({ length: STEPS }, (_, i) => step(i)).flat(),
    ...set(PLACE, addWord(get(PLACE), constant(STEPS * VECTOR_BYTES))),
  ];
  return [...set(PLACE, constant(0)), ...loopWhile(body, subtractWord(get(PLACE), constant(total * VECTOR_BYTES)))];
}

/** Rows become columns in four vectors; words turn between this machine's byte order and SHA-256's. */
function transposed(vectors: readonly number[]): Code {
  const turned = (x: number): Code =>
    set(x, shuffle(get(x), get(x), [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]));
  const words = (a: number, b: number, chosen: readonly number[]): Code =>
    shuffle(
      get(a),
      get(b),
      chosen.flatMap((word) => [0, 1, 2, 3].map((byte) => word * 4 + byte)),
    );
  const [x, y] = [(i: number) => at(vectors, i), (i: number) => at(SPARE, i)];
  return [
    ...vectors.flatMap(turned),
    ...set(y(0), words(x(0), x(1), [0, 4, 1, 5])),
    ...set(y(1), words(x(2), x(3), [0, 4, 1, 5])),
    ...set(y(2), words(x(0), x(1), [2, 6, 3, 7])),
    ...set(y(3), words(x(2), x(3), [2, 6, 3, 7])),
    ...set(x(0), words(y(0), y(1), [0, 1, 4, 5])),
    ...set(x(1), words(y(0), y(1), [2, 3, 6, 7])),
    ...set(x(2), words(y(2), y(3), [0, 1, 4, 5])),
    ...set(x(3), words(y(2), y(3), [2, 3, 6, 7])),
  ];
}

/** Folds one block of each lane in. A lane after the end of its message reads on, and its result is masked. */
function foldBlock(): Code {
  const fourWords = (first: number): Code => [
    ...MESSAGES.flatMap((message, lane) => set(at(ROWS, lane), load(get(message), first * 4))),
    ...transposed(ROWS),
    ...ROWS.flatMap((row, i) => store(constant(0), get(row), SCHEDULE_AT + (first + i) * VECTOR_BYTES)),
  ];
  const unfinished = greater(get(BLOCKS_LEFT), splat(constant(0)));
  return [
    ...[0, 4, 8, 12].flatMap(fourWords),
    ...inSteps(48, extend),
    ...WORKING.flatMap((x, i) => set(x, get(at(STATE, i)))),
    ...set(at(SPARE, 1), xor(get(at(STATE, 1)), get(at(STATE, 2)))),
    ...inSteps(64, round),
    ...set(at(SPARE, 0), unfinished),
    ...STATE.flatMap((x, i) => set(x, add(get(x), and(get(at(WORKING, i)), get(at(SPARE, 0)))))),
    ...set(BLOCKS_LEFT, subtract(get(BLOCKS_LEFT), splat(constant(1)))),
    ...MESSAGES.flatMap((message) => set(message, addWord(get(message), constant(BLOCK_BYTES)))),
  ];
}

function foldGroup(): Code {
  const stored = (half: number): Code => {
    const vectors = STATE.slice(half * 4, half * 4 + 4);
    const target = (lane: number): Code => loadWord(get(GROUPS), GROUP.targets + lane * 4);
    return [...transposed(vectors), ...vectors.flatMap((x, lane) => store(target(lane), get(x), half * 16))];
  };
  return [
    ...MESSAGES.flatMap((message, lane) => set(message, loadWord(get(GROUPS), GROUP.addresses + lane * 4))),
    ...set(BLOCKS_LEFT, load(get(GROUPS), GROUP.blocks)),
    ...STATE.flatMap((x, i) => set(x, loadSplat(get(INITIAL), i * 4))),
    ...loopWhile(foldBlock(), anyTrue(greater(get(BLOCKS_LEFT), splat(constant(0))))),
    ...stored(0),
    ...stored(1),
    ...set(GROUPS, addWord(get(GROUPS), constant(GROUP.size))),
  ];
}

/** Returns the module's bytes, with a memory of that many pages. */
export const sha256LanesModule = (pages: number): Uint8Array<ArrayBuffer> =>
  moduleBytes(
    {
      name: 'fold',
      parameters: COUNT_OF_PARAMETERS,
      locals: [
        [PLACE - COUNT_OF_PARAMETERS + 1, I32],
        [BLOCKS_LEFT - PLACE, V128],
      ],
      body: loopWhile(foldGroup(), tee(COUNT, subtractWord(get(COUNT), constant(1)))),
    },
    pages,
  );
