import type { BlobPlace } from './worm-store.js';

/** Where the thread of blocks finds the write-once database, and as whom. */
export type BlockThreadPlace = Pick<BlobPlace, 'uri' | 'database'>;

/** What the thread of blocks is asked. Memory of `data` goes with the message; `id` names the work. */
export type BlockRequest =
  | {
      readonly kind: 'write';
      readonly id: number;
      readonly fileId: string;
      readonly n: number;
      readonly data: Uint8Array;
    }
  | {
      readonly kind: 'read';
      readonly id: number;
      readonly fileId: string;
      readonly first: number;
      readonly last: number;
    }
  /** One more block of a reading may come. */
  | { readonly kind: 'taken'; readonly id: number }
  /** Memory of a block that has been read. */
  | { readonly kind: 'room'; readonly room: ArrayBuffer }
  /** Nobody waits for the rest of a reading. */
  | { readonly kind: 'stop'; readonly id: number };

export type BlockAnswer =
  /** Durable; the room comes back. */
  | { readonly kind: 'written'; readonly id: number; readonly sha256: string; readonly room: ArrayBuffer }
  | { readonly kind: 'block'; readonly id: number; readonly n: number; readonly data: Uint8Array }
  | { readonly kind: 'end'; readonly id: number }
  /** By name, as the facade tells a database out of reach from other failures (shared/errors/unexpected.ts). */
  | { readonly kind: 'fault'; readonly id: number; readonly name: string; readonly message: string };
