import { MasterKey } from '../../crypto/master-key.js';
import { problem } from '../../errors/problem.js';
import type { Randomness } from '../../ids/ids.js';

/** The keys of all epochs that are not destroyed, as their file holds them: 64 hexadecimal digits by epoch. */
export interface EpochKeySet {
  readonly current: number;
  readonly keys: Readonly<Record<string, string>>;
}

/** A key under the key of an epoch. */
export interface WrappedKey {
  readonly epoch: number;
  readonly wrapped: Buffer;
}

/**
 * Wraps the keys of contents and segments. The keys of epochs lie outside of the store, so the end of an epoch makes every key
 * unreadable that a disposal destroyed before, also in what the store or a disk still holds of its row.
 */
export class EpochKeys {
  readonly #keys: ReadonlyMap<number, MasterKey>;
  readonly #randomness: Randomness;
  readonly current: number;

  constructor(set: EpochKeySet, randomness: Randomness) {
    const keys = Object.entries(set.keys).map(
      ([n, hex]) => [Number(n), new MasterKey(Buffer.from(hex, 'hex'))] as const,
    );
    this.#keys = new Map(keys);
    this.#randomness = randomness;
    this.current = set.current;
  }

  /** The epochs with a known key. */
  get epochs(): readonly number[] {
    return [...this.#keys.keys()];
  }

  /** @param name name of the content or segment, which the result is bound to */
  wrap(name: string, key: Uint8Array): WrappedKey {
    const own = this.#keyOf(this.current);
    return { epoch: this.current, wrapped: own.wrap(key, contextOf(name), this.#randomness) };
  }

  /** @throws INTEGRITY_FAILURE if the epoch is unknown, or the key was changed or moved */
  unwrap(name: string, { epoch, wrapped }: WrappedKey): Buffer {
    const own = this.#keyOf(epoch);
    try {
      return own.unwrap(wrapped, contextOf(name));
    } catch {
      throw problem('INTEGRITY_FAILURE', { internal: `the key of ${name} does not open under epoch ${epoch}` });
    }
  }

  #keyOf(epoch: number): MasterKey {
    const key = this.#keys.get(epoch);
    if (key === undefined) throw problem('INTEGRITY_FAILURE', { internal: `the key of epoch ${epoch} is missing` });
    return key;
  }
}

const contextOf = (name: string): string => `worm-key:${name}`;
