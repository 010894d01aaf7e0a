import type { LineReader } from '../archive/line-reader.js';
import { HASH_BYTES, sameBytes, type Tree, TreeHasher } from '../hashing/tree.js';
import { TreeLanes } from '../hashing/tree-lanes.js';
import { isCount, isObject } from '../manifest/manifest-shape.js';
import type { Span } from '../text/byte-heap.js';
import { fromHex, hexBytesInto, isHash } from '../text/bytes.js';
import { isCanonical } from '../text/canonical-scanner.js';
import { printable } from './archive.js';
import type { BundleContext } from './context.js';

/** A line of proofs/inclusion.jsonl proves a block of so many neighbouring leaves. */
const BLOCK_LEAVES = 256;

interface BlockProof {
  readonly block: number;
  readonly nodes: readonly Uint8Array[];
  readonly path: readonly Uint8Array[];
}

/**
 * That every entry is a leaf of the checkpoint's tree, block by block: the leaves of the bundle's entries and the nodes
 * between them make the block's node (RFC 6962 section 2.1), and its path leads to the root.
 */
export class InclusionWalk {
  readonly #hasher: TreeHasher;
  #block = -1;
  #indexes: number[] = [];
  /** The entries at those places, end to end. */
  #entries = new Uint8Array(BLOCK_LEAVES * HASH_BYTES);
  readonly #lanes = TreeLanes.create(BLOCK_LEAVES);
  proven = 0;

  /** @param tree of the checkpoint, never of what stands beside the proof. */
  constructor(
    private readonly context: BundleContext,
    private readonly lines: LineReader,
    private readonly tree: Tree,
  ) {
    this.#hasher = new TreeHasher(context.platform);
  }

  /** @param index ascending, @param entryHash in hex. @returns a promise where a block is to be proven first */
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

  /** What is added from now on ascends anew, in blocks of its own. */
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

  /** Takes the block's entries away at once, as the caller goes on adding to the next. */
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
    const node =
      this.#lanes !== null && indexes.length === BLOCK_LEAVES && proof.nodes.length === 0
        ? this.#lanes.root(entries)
        : this.#nodeOf(proof, indexes, entries);
    return node && this.#hasher.climb(node, proof.block, Math.ceil(this.tree.size / BLOCK_LEAVES), proof.path);
  }

  #nodeOf(proof: BlockProof, indexes: readonly number[], entries: Uint8Array): Uint8Array | undefined {
    const start = proof.block * BLOCK_LEAVES;
    const leaf = (i: number): Uint8Array => this.#hasher.leaf(entries.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES));
    const between = [...proof.nodes];
    let at = 0;
    const nodeOf = (from: number, to: number): Uint8Array | undefined => {
      const next = indexes[at];
      if (next === undefined || next >= to) return between.shift();
      if (to - from === 1) return leaf(at++);
      let width = 1;
      while (width * 2 < to - from) width *= 2;
      const left = nodeOf(from, from + width);
      const right = nodeOf(from + width, to);
      return left && right && this.#hasher.node(left, right);
    };
    const node = nodeOf(start, Math.min(start + BLOCK_LEAVES, this.tree.size));
    return between.length > 0 ? undefined : node;
  }
}

function readProof(line: string): BlockProof | undefined {
  if (!isCanonical(line)) return undefined;
  const value: unknown = JSON.parse(line);
  if (!isObject(value)) return undefined;
  const { block, nodes, path } = value;
  if (!isCount(block) || !Array.isArray(nodes) || !Array.isArray(path)) return undefined;
  if (!nodes.every(isHash) || !path.every(isHash) || path.length > 63) return undefined;
  return { block, nodes: nodes.map(fromHex), path: path.map(fromHex) };
}
