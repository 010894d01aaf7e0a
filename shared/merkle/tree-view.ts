import { EMPTY_ROOT, foldRight } from './hashes.js';
import { coverOf, type NodePlace } from './places.js';
import { consistencyPlan, inclusionPlan, type ProofTerm } from './proof-plans.js';
import { hashInTile, type InnerNodes, type TilePlace, tileSpanOf, tileWidth } from './tiles.js';

/** Where tiles come from. */
export interface TileSource {
  /** At least `width` hashes of each tile, in the order asked for. @throws when the tree is not that large. */
  tiles(wanted: readonly { readonly tile: TilePlace; readonly width: number }[]): Promise<readonly Buffer[]>;
  /** Where the nodes of a tile that `tiles` gave are remembered, if anywhere. */
  innerNodes?(tile: TilePlace): InnerNodes | undefined;
}

const keyOf = ({ level, index }: TilePlace): string => `${level}/${index}`;

/** Roots and proofs of an append-only tree, from its tiles: at any size up to what they hold. */
export class TreeView {
  readonly #source: TileSource;

  constructor(source: TileSource) {
    this.#source = source;
  }

  /** Root of the first `size` leaves. */
  async rootAt(size: number): Promise<Buffer> {
    if (size === 0) return Buffer.from(EMPTY_ROOT);
    const [root] = await this.#hashesOf([coverOf(0, size)], size);
    if (!root) throw new Error('a tree without a root');
    return root;
  }

  /** Returns the hashes of the perfect subtrees of the first `size` leaves, larger ones first: the start of a CompactRange. */
  edgeAt(size: number): Promise<readonly Buffer[]> {
    return this.#hashesOf(
      coverOf(0, size).map((place) => [place]),
      size,
    );
  }

  /** From the leaf's sibling up. */
  inclusionProof(index: number, size: number): Promise<readonly Buffer[]> {
    return this.#hashesOf(inclusionPlan(index, size), size);
  }

  consistencyProof(first: number, second: number): Promise<readonly Buffer[]> {
    return this.#hashesOf(consistencyPlan(first, second), second);
  }

  async #hashesOf(terms: readonly ProofTerm[], size: number): Promise<readonly Buffer[]> {
    const tiles = await this.#tilesOf(terms.flat(), size);
    const hashOf = (place: NodePlace): Buffer => {
      const { tile, from, count } = tileSpanOf(place);
      const hashes = tiles.get(keyOf(tile));
      if (!hashes) throw new Error('a node without its tile');
      return hashInTile(hashes, from, count, this.#source.innerNodes?.(tile));
    };
    return terms.map((term) => foldRight(term.map(hashOf)));
  }

  /** All tiles of a proof are asked for at once. */
  async #tilesOf(places: readonly NodePlace[], size: number): Promise<ReadonlyMap<string, Buffer>> {
    const wanted = new Map<string, { readonly tile: TilePlace; readonly width: number }>();
    for (const place of places) {
      const { tile } = tileSpanOf(place);
      wanted.set(keyOf(tile), { tile, width: tileWidth(tile, size) });
    }
    const found = await this.#source.tiles([...wanted.values()]);
    return new Map([...wanted.keys()].map((key, i) => [key, found[i] ?? Buffer.alloc(0)]));
  }
}
