import { EMPTY_SUBTREE } from './hashes.js';
import { isLeaf, MAP_WIDTH, type MapChild, type MapNode, type MapRoot, nibbleAt, provenNode, spanOf } from './node.js';
import type { MapNodes } from './update.js';

// The proof of many keys at once (docs/evidence.md "State map", "Proofs"): tokens of a depth-first walk, left before right.

export const TOKEN = { empty: 0, hash: 1, otherLeaf: 2, present: 3, branch: 4 } as const;

/** Bytes that follow a token. */
export const TOKEN_BYTES = [0, 32, 64, 0, 0] as const;

/**
 * Ends a slice at a leaf whose key comes after the slice: only who has all keys knows whether it is asked for. Key and
 * value follow. `settled` replaces it; no proof contains it.
 */
const UNDECIDED = 5;
const UNDECIDED_BYTES = 64;
const KEY_BYTES = 32;

/** A part of the proof: all keys of a slice, sorted, each once. */
interface ProofSlice {
  /** The last key of the slice before: its tokens are proven. Null for the first slice. */
  readonly after: Buffer | null;
  /** The proof ends after these keys. */
  readonly last: boolean;
}

const WHOLE: ProofSlice = { after: null, last: true };

/**
 * Proves the presence or absence of keys in one version. Slices of the keys in order give the same tokens as all keys.
 * Holds one path of nodes in memory.
 *
 * @param map null for the empty map.
 * @param keys sorted, each once.
 * @returns whole tokens, which `settled` completes for a slice that is not the last.
 * @throws RangeError for keys that are not sorted; MapDamaged for a node that its parent does not prove.
 */
export async function proveMany(
  nodes: MapNodes,
  map: MapRoot | null,
  keys: readonly Buffer[],
  { after, last }: ProofSlice = WHOLE,
): Promise<Buffer> {
  const all = after === null ? keys : [after, ...keys];
  if (all.some((key, i) => i > 0 && key.compare(all[i - 1] ?? EMPTY_SUBTREE) <= 0)) {
    throw new RangeError('the keys of a proof are not sorted');
  }
  const walk = new ProofWalk(nodes, after === null ? null : 0, last ? Number.POSITIVE_INFINITY : all.length - 1);
  if (map === null) walk.emptyMap(all.length);
  else await walk.node(map, '', all, 0);
  return walk.taken();
}

/**
 * Decides the leaf at which a slice has ended.
 *
 * @param isAsked whether all keys of the proof contain this one.
 */
export function settled(tokens: Buffer, isAsked: (key: Buffer) => boolean): Buffer {
  let at = 0;
  while (at < tokens.length && tokens[at] !== UNDECIDED) at += 1 + (TOKEN_BYTES[tokens[at] ?? 0] ?? 0);
  if (at >= tokens.length) return tokens;
  const leaf = tokens.subarray(at + 1, at + 1 + UNDECIDED_BYTES);
  const token = isAsked(leaf.subarray(0, KEY_BYTES)) ? [Buffer.of(TOKEN.present)] : [Buffer.of(TOKEN.otherLeaf), leaf];
  return Buffer.concat([tokens.subarray(0, at), ...token]);
}

/** The only child in a range of a node; null for none. */
function onlyChild(node: MapNode, from: number, width: number): MapChild | 'several' {
  let found: MapChild = null;
  for (let i = from; i < from + width; i++) {
    const child = node[i] ?? null;
    if (child === null) continue;
    if (found !== null) return 'several';
    found = child;
  }
  return found;
}

/** Where a subtree is: within a stored node, over `width` children from `from` on. */
interface Place {
  readonly node: MapNode;
  readonly path: string;
  readonly from: number;
  readonly width: number;
}

class ProofWalk {
  readonly #nodes: MapNodes;
  readonly #pieces: Buffer[] = [];
  /** Tokens are left out until the key of this number has ended; null: none are. */
  #silentUntil: number | null;
  readonly #lastKey: number;
  #isOver = false;

  constructor(nodes: MapNodes, silentUntil: number | null, lastKey: number) {
    this.#nodes = nodes;
    this.#silentUntil = silentUntil;
    this.#lastKey = lastKey;
  }

  taken(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  emptyMap(keys: number): void {
    this.#emit(TOKEN.empty);
    this.#end(0, keys);
  }

  /** @param first number of the first of these keys. */
  async node({ version, root }: MapRoot, path: string, keys: readonly Buffer[], first: number): Promise<void> {
    const [bytes] = await this.#nodes.read([{ version, path }]);
    const node = provenNode(bytes, root, path);
    await this.#subtree({ node, path, from: 0, width: MAP_WIDTH }, keys, first);
  }

  async #subtree(place: Place, keys: readonly Buffer[], first: number): Promise<void> {
    if (this.#isOver) return;
    const { node, from, width } = place;
    const only = onlyChild(node, from, width);
    if (only === null) this.#emit(TOKEN.empty);
    else if (keys.length === 0) this.#emit(TOKEN.hash, spanOf(node, from, width)?.hash ?? EMPTY_SUBTREE);
    else if (only !== 'several' && isLeaf(only)) {
      const { key, value } = only;
      if (keys.some((asked) => asked.equals(key))) this.#emit(TOKEN.present);
      else this.#emit(this.#mayBeAskedLater(key, keys, first) ? UNDECIDED : TOKEN.otherLeaf, key, value);
    } else return this.#branch(place, keys, first);
    if (keys.length > 0) this.#end(first, keys.length);
    return undefined;
  }

  async #branch({ node, path, from, width }: Place, keys: readonly Buffer[], first: number): Promise<void> {
    const child = node[from];
    if (width === 1 && child && !isLeaf(child)) {
      const nibble = from.toString(16);
      return this.node({ version: child.version, root: child.hash }, path + nibble, keys, first);
    }
    this.#emit(TOKEN.branch);
    const half = width / 2;
    const split = keys.findIndex((key) => nibbleAt(key, path.length) >= from + half);
    const left = split < 0 ? keys : keys.slice(0, split);
    const right = split < 0 ? [] : keys.slice(split);
    await this.#subtree({ node, path, from, width: half }, left, first);
    await this.#subtree({ node, path, from: from + half, width: half }, right, first + left.length);
  }

  /** @returns whether the key belongs to a later slice, if it is asked for at all */
  #mayBeAskedLater(key: Uint8Array, keys: readonly Buffer[], first: number): boolean {
    const last = keys.at(-1);
    return first + keys.length - 1 >= this.#lastKey && last !== undefined && last.compare(key) < 0;
  }

  #emit(token: number, ...content: readonly Uint8Array[]): void {
    if (this.#isOver || this.#silentUntil !== null) return;
    this.#pieces.push(Buffer.of(token), ...content.map((bytes) => Buffer.from(bytes)));
  }

  /** Keys end together where they share the end of their paths. */
  #end(first: number, count: number): void {
    const end = first + count - 1;
    if (this.#silentUntil !== null && end >= this.#silentUntil) this.#silentUntil = null;
    if (end >= this.#lastKey) this.#isOver = true;
  }
}
