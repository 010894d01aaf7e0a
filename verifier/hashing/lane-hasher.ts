import { DIGEST_BYTES, INITIAL_STATE, ROUND_CONSTANTS } from './sha256-block.js';
import { FREE_FROM, GROUP, LANES, ROUND_CONSTANTS_AT, sha256LanesModule } from './sha256-lanes.js';

/** What is used of the platform's WebAssembly, whose types come with the browser's only. */
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

/** The order of WebAssembly's memory; words are written into it in the order of the machine. */
const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** No message may have more blocks; a longer one is cheaper by the platform's hash anyway. */
export const MAX_LANE_BLOCKS = 6;

const PAGE_BYTES = 65_536;
const INITIAL_AT = FREE_FROM;
const GROUPS_AT = INITIAL_AT + DIGEST_BYTES;
/** By pages of memory: a module is compiled once, and what the platform made better of it on the way is kept. */
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
 * Hashes many short messages, four at a time. Messages stand padded in `bytes` from `roomStart` on, are announced with
 * `add` and hashed by `run`; the digests land in `bytes` too. For one thread.
 */
export class LaneHasher {
  readonly bytes: Uint8Array;
  readonly roomStart: number;
  readonly #words: Int32Array;
  readonly #fold: LanesExports['fold'];
  /** Where the digest of an empty lane goes. */
  readonly #spareTarget: number;
  readonly #addresses: Int32Array;
  readonly #targets: Int32Array;
  readonly #blocks: Uint8Array;
  #count = 0;
  /** How many of the messages have that many blocks. */
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

  /** Null where the platform has no vector instructions. @param maxMessages of one run. */
  static create(maxMessages: number, roomBytes: number): LaneHasher | null {
    // Without compilation at run time (node --jitless) there is no WebAssembly at all.
    if (typeof WebAssembly === 'undefined' || !IS_LITTLE_ENDIAN) return null;
    // The page over is for what stands before the room, and for lanes that read on after their message has ended.
    const pages = Math.ceil((roomBytes + maxMessages * GROUP.size) / PAGE_BYTES) + 1;
    try {
      const module = compiled(WebAssembly, pages);
      return module && new LaneHasher(new WebAssembly.Instance(module).exports, maxMessages);
    } catch {
      // A page whose policy forbids compilation, or a machine that has not the address space: every hash on its own then.
      return null;
    }
  }

  /** Announces a padded message of 1 to MAX_LANE_BLOCKS blocks, and where its digest shall go. */
  add(address: number, blocks: number, target: number): void {
    const job = this.#count++;
    this.#addresses[job] = address;
    this.#blocks[job] = blocks;
    this.#targets[job] = target;
    this.#having[blocks] = (this.#having[blocks] as number) + 1;
  }

  /** Hashes what was announced, each message from the state that `state` holds at `at` in words. */
  run(state: Int32Array = INITIAL_STATE, at = 0): void {
    const count = this.#count;
    if (count === 0) return;
    const words = this.#words;
    for (let i = 0; i < 8; i++) words[INITIAL_AT / 4 + i] = state[at + i] as number;
    this.#placeByLength();
    const groups = Math.ceil(count / LANES);
    for (let place = count; place < groups * LANES; place++) this.#place(place, this.roomStart, 0, this.#spareTarget);
    this.#fold(GROUPS_AT, groups, INITIAL_AT);
    this.#count = 0;
  }

  /** The longest first: a group takes as long as its longest message, so equals belong together. */
  #placeByLength(): void {
    const next = this.#next;
    let place = 0;
    for (let blocks = MAX_LANE_BLOCKS; blocks > 0; blocks--) {
      next[blocks] = place;
      place += this.#having[blocks] as number;
      this.#having[blocks] = 0;
    }
    for (let job = 0; job < this.#count; job++) {
      const blocks = this.#blocks[job] as number;
      const mine = next[blocks] as number;
      next[blocks] = mine + 1;
      this.#place(mine, this.#addresses[job] as number, blocks, this.#targets[job] as number);
    }
  }

  #place(place: number, address: number, blocks: number, target: number): void {
    const lane = GROUPS_AT / 4 + (place >> 2) * (GROUP.size / 4) + (place & 3);
    this.#words[lane + WORDS_OF.addresses] = address;
    this.#words[lane + WORDS_OF.blocks] = blocks;
    this.#words[lane + WORDS_OF.targets] = target;
  }
}
