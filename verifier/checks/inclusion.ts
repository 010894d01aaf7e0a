import type { LineReader } from '../archive/line-reader.js';
import { HASH_BYTES, sameBytes, type Tree, TreeHasher } from '../hashing/tree.js';
import { TreeLanes } from '../hashing/tree-lanes.js';
import { isCount, isObject } from '../manifest/members.js';
import type { Span } from '../text/byte-heap.js';
import { fromHex, hexBytesInto, isHash } from '../text/bytes.js';
import { isCanonical } from '../text/canonical-scanner.js';
import { printable } from './archive.js';
import type { BundleContext } from './context.js';

/** Number of neighbouring leaves that one line of proofs/inclusion.jsonl proves. */
export const BLOCK_LEAVES = 256;

export interface BlockProof {
  readonly block: number;
  readonly nodes: readonly Uint8Array[];
  readonly path: readonly Uint8Array[];
}

/**
 * Proves block by block that each entry is a leaf of the checkpoint's tree. The leaves of the bundle's entries and the nodes
 * between them make the block's node (RFC 6962 section 2.1), and its path leads to the root.
 */
export class InclusionWalk {
  readonly #hasher: TreeHasher;
  #block = -1;
  #indexes: number[] = [];
  /** The entry hashes at those indexes, concatenated. */
  #entries = new Uint8Array(BLOCK_LEAVES * HASH_BYTES);
  readonly #lanes = TreeLanes.create(BLOCK_LEAVES);
  proven = 0;

  /** @param tree the checkpoint's tree, never a tree from the proof file */
  constructor(
    private readonly context: BundleContext,
    private readonly lines: LineReader,
    private readonly tree: Tree,
  ) {
    this.#hasher = new TreeHasher(context.platform);
  }

  /** @param index ascending, @param entryHash in hex. @returns a promise if a block must be proven first */
  add(index: number, entryHash: Span, subject: string): Promise<void> | undefined {
    if (index >= this.tree.size || index <= (this.#indexes.at(-1) ?? this.#block * BLOCK_LEAVES - 1)) {
      this.#broken('INDEX', printable(subject), `place ${index} is out of order or beyond the tree`);
      return undefined;
    }
    const block = Math.floor(index / BLOCK_LEAVES);
    const proving = block === this.#block ? undefined : this.#prove();
    this.#block = block;
    hexBytesInto(entryHash.bytes, entryHash.start, this.#entries, this.#indexes.length * HASH_BYTES);
    this.#indexes.push(index);
    return proving;
  }

  /** Starts a new ascending series of entries, with separate blocks. */
  async beginAnew(): Promise<void> {
    await this.#prove();
    this.#block = -1;
  }

  async end(): Promise<void> {
    await this.#prove();
    if ((await this.lines.line()) !== undefined) {
      this.#broken('INCLUSION_EXTRA', 'proofs/inclusion.jsonl', 'a proof of no entry of the bundle');
    }
  }

  #broken(code: string, subject: string, detail: string): void {
    this.context.findings.broken('inclusion', code, subject, detail);
  }

  /** Detaches the block's entries immediately, because the caller continues with the next block. */
  #prove(): Promise<void> | undefined {
    const [indexes, entries, block] = [this.#indexes, this.#entries, this.#block];
    if (indexes.length === 0) return undefined;
    this.#indexes = [];
    this.#entries = new Uint8Array(BLOCK_LEAVES * HASH_BYTES);
    return this.lines.line().then((line) => {
      const proof = line === undefined ? undefined : readProof(line);
      const root = proof?.block === block ? this.#rootOf(proof, indexes, entries) : undefined;
      if (root !== undefined && sameBytes(root, this.tree.root)) this.proven += indexes.length;
      else {
        const range = `entries ${indexes[0]} to ${indexes.at(-1)} of the tree`;
        this.#broken('INCLUSION_MISMATCH', `block ${block}`, `${range} are not proven in the checkpoint's tree`);
      }
    });
  }

  #rootOf(proof: BlockProof, indexes: readonly number[], entries: Uint8Array): Uint8Array | undefined {
    if (this.#lanes === null || indexes.length < BLOCK_LEAVES || proof.nodes.length > 0)
      return rootOfBlock(this.#hasher, this.tree.size, proof, indexes, entries);
    const blocks = Math.ceil(this.tree.size / BLOCK_LEAVES);
    return this.#hasher.climb(this.#lanes.root(entries), proof.block, blocks, proof.path);
  }
}

/** Returns the root that a proof leads to; undefined for one of another shape. @param indexes ascending, in the block */
export function rootOfBlock(
  hasher: TreeHasher,
  size: number,
  proof: BlockProof,
  indexes: readonly number[],
  entries: Uint8Array,
): Uint8Array | undefined {
  const start = proof.block * BLOCK_LEAVES;
  const between = [...proof.nodes];
  let at = 0;
  const nodeOf = (from: number, to: number): Uint8Array | undefined => {
    const next = indexes[at];
    if (next === undefined || next >= to) return between.shift();
    if (to - from === 1) return hasher.leaf(entries.subarray(at * HASH_BYTES, ++at * HASH_BYTES));
    let width = 1;
    while (width * 2 < to - from) width *= 2;
    const left = nodeOf(from, from + width);
    const right = nodeOf(from + width, to);
    return left && right && hasher.node(left, right);
  };
  const node = nodeOf(start, Math.min(start + BLOCK_LEAVES, size));
  if (node === undefined || between.length > 0) return undefined;
  return hasher.climb(node, proof.block, Math.ceil(size / BLOCK_LEAVES), proof.path);
}

const readProof = (line: string): BlockProof | undefined =>
  isCanonical(line) ? blockProofOf(JSON.parse(line)) : undefined;

export function blockProofOf(value: unknown): BlockProof | undefined {
  if (!isObject(value)) return undefined;
  const { block, nodes, path, ...others } = value;
  if (Object.keys(others).length > 0) return undefined;
  if (!isCount(block) || !Array.isArray(nodes) || !Array.isArray(path)) return undefined;
  if (!nodes.every(isHash) || !path.every(isHash) || path.length > 63) return undefined;
  return { block, nodes: nodes.map(fromHex), path: path.map(fromHex) };
}
