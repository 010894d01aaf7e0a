import { EMPTY_SUBTREE, MAP_HASH_BYTES, mapLeafHash, mapNodeHash } from '../../../shared/state-map/hashes.js';
import { TOKEN, TOKEN_BYTES } from '../../../shared/state-map/multiproof.js';

/** What a map says about a key: its value, or null for a key that is absent. */
export interface MapClaimOf {
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
}

/** A multiproof that does not hold, with the reason for the report. */
export class MapProofFault extends Error {}

const KEY_BITS = 8 * MAP_HASH_BYTES;

type Shape = 'EMPTY' | 'LEAF' | 'OTHER';

interface Subtree {
  readonly hash: Uint8Array;
  readonly shape: Shape;
}

/**
 * Verifies a multiproof in constant memory. Claims and tokens are fed in any interleaving, each in its order; the verifier
 * holds what waits for the other.
 */
export class MultiproofVerifier {
  #claims: MapClaimOf[] = [];
  #claimAt = 0;
  #lastKey: Uint8Array | null = null;
  #claimsEnded = false;
  #bytes = Buffer.alloc(0);
  /** The left subtrees on the path, from the root down; null where the left one is being read. */
  readonly #lefts: (Subtree | null)[] = [];
  /** Sides of the path, a bit for each level. */
  readonly #path = new Uint8Array(MAP_HASH_BYTES);
  #root: Uint8Array | null = null;

  /** @param claims sorted by key, each once, all after the earlier ones. @throws MapProofFault */
  claims(claims: readonly MapClaimOf[]): void {
    for (const { key, value } of claims) {
      if (key.length !== MAP_HASH_BYTES || (value !== null && value.length !== MAP_HASH_BYTES)) {
        throw new MapProofFault('a claimed key or value has no valid form');
      }
      if (this.#lastKey !== null && Buffer.compare(this.#lastKey, key) >= 0) {
        throw new MapProofFault('the claimed keys are not sorted');
      }
      this.#lastKey = key;
      this.#claims.push({ key, value });
    }
    this.#run();
  }

  /** @param bytes the next tokens; a cut between tokens. @throws MapProofFault */
  tokens(bytes: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    this.#run();
  }

  /** @returns the root that claims and tokens lead to. @throws MapProofFault */
  end(): Buffer {
    this.#claimsEnded = true;
    this.#run();
    if (this.#root === null) throw new MapProofFault('the proof is cut short');
    if (this.#claims.length > 0) throw new MapProofFault('a claimed key is left over');
    return Buffer.from(this.#root);
  }

  #run(): void {
    while (this.#step());
    this.#claims = this.#claims.slice(this.#claimAt);
    this.#claimAt = 0;
  }

  /** @returns false when it needs more claims or tokens. */
  #step(): boolean {
    const token = this.#bytes[0];
    if (token === undefined) return false;
    if (this.#root !== null) throw new MapProofFault('the proof has further tokens');
    const length = 1 + (TOKEN_BYTES[token] ?? -1);
    if (length === 0) throw new MapProofFault('the proof has an unknown token');
    if (this.#bytes.length < length) return false;
    const below = this.#below();
    if (below === null) return false;
    const content = this.#bytes.subarray(1, length);
    const subtree = this.#subtree(token, content, below);
    this.#bytes = this.#bytes.subarray(length);
    if (subtree === null) this.#lefts.push(null);
    else {
      this.#claimAt += below.length;
      this.#close(subtree);
    }
    return true;
  }

  /**
   * The claims below the present subtree; null until it is known which. A branch needs to know of one alone.
   */
  #below(): readonly MapClaimOf[] | null {
    let end = this.#claimAt;
    for (; end < this.#claims.length; end++) {
      if (!this.#isBelow(this.#claims[end]?.key ?? EMPTY_SUBTREE)) return this.#claims.slice(this.#claimAt, end);
      if (this.#bytes[0] === TOKEN.branch) return this.#claims.slice(this.#claimAt, end + 1);
    }
    return this.#claimsEnded ? this.#claims.slice(this.#claimAt) : null;
  }

  #isBelow(key: Uint8Array): boolean {
    const depth = this.#lefts.length;
    for (let i = 0; i < depth >> 3; i++) if (key[i] !== this.#path[i]) return false;
    const rest = depth % 8;
    const mask = (0xff << (8 - rest)) & 0xff;
    return ((key[depth >> 3] ?? 0) & mask) === ((this.#path[depth >> 3] ?? 0) & mask);
  }

  /** @returns null for a branch. */
  #subtree(token: number, content: Uint8Array, below: readonly MapClaimOf[]): Subtree | null {
    if (token === TOKEN.empty) {
      if (below.some(({ value }) => value !== null)) throw new MapProofFault('a key with a value is absent');
      return { hash: EMPTY_SUBTREE, shape: 'EMPTY' };
    }
    if ((token === TOKEN.hash) !== (below.length === 0)) {
      throw new MapProofFault('a token does not fit the claimed keys');
    }
    if (token === TOKEN.hash) return { hash: Buffer.from(content), shape: 'OTHER' };
    if (token === TOKEN.branch) {
      if (this.#lefts.length >= KEY_BITS) throw new MapProofFault('the proof is too deep');
      return null;
    }
    return { hash: token === TOKEN.present ? presentLeaf(below) : this.#otherLeaf(content, below), shape: 'LEAF' };
  }

  #otherLeaf(content: Uint8Array, below: readonly MapClaimOf[]): Uint8Array {
    const [key, value] = [content.subarray(0, MAP_HASH_BYTES), content.subarray(MAP_HASH_BYTES)];
    if (!this.#isBelow(key)) throw new MapProofFault('a leaf is not below its subtree');
    for (const claim of below) {
      const stated = Buffer.compare(claim.key, key) === 0 ? value : null;
      if (stated === null && claim.value !== null) throw new MapProofFault('a key with a value is absent');
      if (stated === null) continue;
      if (claim.value === null) throw new MapProofFault('a key that is claimed to be absent is present');
      if (Buffer.compare(claim.value, stated) !== 0) throw new MapProofFault('a key has another value');
    }
    return mapLeafHash(key, value);
  }

  /** Closes every subtree that ends here. */
  #close(last: Subtree): void {
    let subtree = last;
    while (this.#lefts.length > 0) {
      const depth = this.#lefts.length - 1;
      const left = this.#lefts[depth] ?? null;
      const [byte, bit] = [depth >> 3, 0x80 >> (depth % 8)];
      if (left === null) {
        this.#lefts[depth] = subtree;
        this.#path[byte] = (this.#path[byte] ?? 0) | bit;
        return;
      }
      this.#lefts.pop();
      this.#path[byte] = (this.#path[byte] ?? 0) & ~bit;
      subtree = joined(left, subtree);
    }
    if (this.#claimAt < this.#claims.length) throw new MapProofFault('a claimed key is left over');
    this.#root = subtree.hash;
  }
}

function presentLeaf(below: readonly MapClaimOf[]): Uint8Array {
  const [found, ...others] = below.filter(({ value }) => value !== null);
  if (!found?.value || others.length > 0) throw new MapProofFault('one leaf is not one claimed value');
  return mapLeafHash(found.key, found.value);
}

/** A subtree with one key is that key's leaf, and a subtree without keys is empty: the map has one form. */
function joined(left: Subtree, right: Subtree): Subtree {
  const isBare = ({ shape }: Subtree): boolean => shape !== 'OTHER';
  if (isBare(left) && isBare(right) && (left.shape === 'EMPTY' || right.shape === 'EMPTY')) {
    throw new MapProofFault('a branch has fewer than two keys');
  }
  return { hash: mapNodeHash(left.hash, right.hash), shape: 'OTHER' };
}
