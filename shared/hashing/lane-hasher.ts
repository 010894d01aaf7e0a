import { DIGEST_BYTES, INITIAL_STATE, ROUND_CONSTANTS } from './sha256-block.js';
import { FREE_FROM, GROUP, LANES, ROUND_CONSTANTS_AT, sha256LanesModule } from './sha256-lanes.js';

/** The used part of WebAssembly, because its types come only with the DOM types. */
declare const WebAssembly: WebAssemblyPlatform | undefined;

interface WebAssemblyPlatform {
  validate(bytes: Uint8Array): boolean;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: LanesExports };
}

interface LanesExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly fold: (groups: number, count: number, initial: number) => void;
}

/** WebAssembly's memory is little-endian; words are written in the machine's byte order. */
const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** Limit of blocks per message; the platform hashes a longer message faster. */
export const MAX_LANE_BLOCKS = 6;

const PAGE_BYTES = 65_536;
const INITIAL_AT = FREE_FROM;
const GROUPS_AT = INITIAL_AT + DIGEST_BYTES;
/** Modules by pages of memory: each is compiled once and keeps the platform's optimisations. */
const MODULES = new Map<number, object | null>();

const WORDS_OF = { addresses: GROUP.addresses / 4, blocks: GROUP.blocks / 4, targets: GROUP.targets / 4 } as const;

function compiled(platform: WebAssemblyPlatform, pages: number): object | null {
  let module = MODULES.get(pages);
  if (module === undefined) {
    const bytes = sha256LanesModule(pages);
    module = platform.validate(bytes) ? new platform.Module(bytes) : null;
    MODULES.set(pages, module);
  }
  return module;
}

/**
 * Hashes many short messages, four at a time. The caller writes padded messages into `bytes` from `roomStart` on, adds them
 * with `add` and hashes them with `run`, which writes the digests into `bytes`. Not thread-safe.
 */
export class LaneHasher {
  readonly bytes: Uint8Array;
  readonly roomStart: number;
  readonly #words: Int32Array;
  readonly #fold: LanesExports['fold'];
  /** Address for the digest of an empty lane. */
  readonly #spareTarget: number;
  readonly #addresses: Int32Array;
  readonly #targets: Int32Array;
  readonly #blocks: Uint8Array;
  #count = 0;
  /** Number of messages by number of blocks. */
  readonly #having = new Int32Array(MAX_LANE_BLOCKS + 1);
  readonly #next = new Int32Array(MAX_LANE_BLOCKS + 1);

  private constructor(exported: LanesExports, maxMessages: number) {
    const { buffer } = exported.memory;
    this.#fold = exported.fold;
    this.bytes = new Uint8Array(buffer);
    this.#words = new Int32Array(buffer);
    ROUND_CONSTANTS.forEach((word, i) => {
      const at = ROUND_CONSTANTS_AT / 4 + i * LANES;
      this.#words.fill(word, at, at + LANES);
    });
    this.#addresses = new Int32Array(maxMessages);
    this.#targets = new Int32Array(maxMessages);
    this.#blocks = new Uint8Array(maxMessages);
    this.#spareTarget = GROUPS_AT + Math.ceil(maxMessages / LANES) * GROUP.size;
    this.roomStart = Math.ceil((this.#spareTarget + DIGEST_BYTES) / 64) * 64;
  }

  /** Returns null if the platform has no vector instructions. @param maxMessages limit of one run */
  static create(maxMessages: number, roomBytes: number): LaneHasher | null {
    // Without compilation at run time (node --jitless) there is no WebAssembly at all.
    if (typeof WebAssembly === 'undefined' || !IS_LITTLE_ENDIAN) return null;
    // The extra page holds the data before the message area, and serves lanes that read on after their message has ended.
    const pages = Math.ceil((roomBytes + maxMessages * GROUP.size) / PAGE_BYTES) + 1;
    try {
      const module = compiled(WebAssembly, pages);
      return module && new LaneHasher(new WebAssembly.Instance(module).exports, maxMessages);
    } catch {
      // The page's policy forbids compilation, or the machine lacks the address space: each message is hashed separately.
      return null;
    }
  }

  /** Adds a padded message of 1 to MAX_LANE_BLOCKS blocks with the address for its digest. */
  add(address: number, blocks: number, target: number): void {
    const job = this.#count++;
    this.#addresses[job] = address;
    this.#blocks[job] = blocks;
    this.#targets[job] = target;
    this.#having[blocks] = (this.#having[blocks] ?? 0) + 1;
  }

  /** Hashes the added messages, each from the state in `state` at word `at`. */
  run(state: Int32Array = INITIAL_STATE, at = 0): void {
    const count = this.#count;
    if (count === 0) return;
    const words = this.#words;
    for (let i = 0; i < 8; i++) words[INITIAL_AT / 4 + i] = state[at + i] ?? 0;
    this.#placeByLength();
    const groups = Math.ceil(count / LANES);
    for (let place = count; place < groups * LANES; place++) this.#place(place, this.roomStart, 0, this.#spareTarget);
    this.#fold(GROUPS_AT, groups, INITIAL_AT);
    this.#count = 0;
  }

  /** Sorts the longest first: a group takes as long as its longest message, so equal lengths belong together. */
  #placeByLength(): void {
    const next = this.#next;
    let place = 0;
    for (let blocks = MAX_LANE_BLOCKS; blocks > 0; blocks--) {
      next[blocks] = place;
      place += this.#having[blocks] ?? 0;
      this.#having[blocks] = 0;
    }
    for (let job = 0; job < this.#count; job++) {
      const blocks = this.#blocks[job] ?? 0;
      const mine = next[blocks] ?? 0;
      next[blocks] = mine + 1;
      this.#place(mine, this.#addresses[job] ?? 0, blocks, this.#targets[job] ?? 0);
    }
  }

  #place(place: number, address: number, blocks: number, target: number): void {
    const lane = GROUPS_AT / 4 + (place >> 2) * (GROUP.size / 4) + (place & 3);
    this.#words[lane + WORDS_OF.addresses] = address;
    this.#words[lane + WORDS_OF.blocks] = blocks;
    this.#words[lane + WORDS_OF.targets] = target;
  }
}
