import type { BlobPlace } from '../worm-store.js';

/** Address and credential of the write-once database, and the keys of its contents, for the block thread. */
export type BlockThreadPlace = Pick<BlobPlace, 'uri' | 'database' | 'epochKeys'>;

/** Requests to the block thread. The message transfers the memory of `data`; `id` names the job. */
export type BlockRequest =
  | {
      readonly kind: 'write';
      readonly id: number;
      readonly fileId: string;
      readonly n: number;
      readonly data: Uint8Array<ArrayBuffer>;
    }
  | {
      readonly kind: 'read';
      readonly id: number;
      readonly fileId: string;
      readonly first: number;
      readonly last: number;
    }
  /** Allows one more block of a read. */
  | { readonly kind: 'taken'; readonly id: number }
  /** Returns the memory of a block that was read. */
  | { readonly kind: 'room'; readonly room: ArrayBuffer }
  /** Cancels the rest of a read. */
  | { readonly kind: 'stop'; readonly id: number };

export type BlockAnswer =
  /** The block is durable; the memory comes back. */
  | { readonly kind: 'written'; readonly id: number; readonly sha256: string; readonly room: ArrayBuffer }
  | { readonly kind: 'block'; readonly id: number; readonly n: number; readonly data: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'end'; readonly id: number }
  /** With the error's name, by which the facade detects an unreachable database (shared/errors/unexpected.ts). */
  | { readonly kind: 'fault'; readonly id: number; readonly name: string; readonly message: string };
