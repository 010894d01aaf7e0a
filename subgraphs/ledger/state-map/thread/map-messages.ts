// Messages between the service and the thread that hashes maps. Buffers travel packed: one copy, and no shared pool.

/** Buffers in one. */
interface Packed {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly lengths: Uint32Array<ArrayBuffer>;
}

export function pack(buffers: readonly Uint8Array[]): Packed {
  const lengths = Uint32Array.from(buffers, ({ length }) => length);
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const buffer of buffers) {
    bytes.set(buffer, at);
    at += buffer.length;
  }
  return { bytes, lengths };
}

export function unpack({ bytes, lengths }: Packed): Buffer[] {
  let at = 0;
  return Array.from(lengths, (length) => {
    at += length;
    return Buffer.from(bytes.buffer, bytes.byteOffset + at - length, length);
  });
}

export const roomsOf = ({ bytes, lengths }: Packed): ArrayBuffer[] => [bytes.buffer, lengths.buffer];

/** A change of a key: the value before is absent (0), none (1) or 32 bytes. */
export interface UpdateRequest {
  readonly kind: 'update';
  readonly id: number;
  readonly version: number;
  readonly from: { readonly version: number; readonly root: Uint8Array } | null;
  readonly keys: Packed;
  readonly values: Packed;
  /** Empty for none; see `isCompared`. */
  readonly befores: Packed;
  readonly isCompared: Uint8Array<ArrayBuffer>;
}

export type MapRequest =
  | UpdateRequest
  | { readonly kind: 'nodes'; readonly id: number; readonly nodes: Packed }
  | { readonly kind: 'unread'; readonly id: number; readonly message: string };

export type MapAnswer =
  | {
      readonly kind: 'read';
      readonly id: number;
      readonly versions: readonly number[];
      readonly paths: readonly string[];
    }
  | {
      readonly kind: 'updated';
      readonly id: number;
      readonly root: Uint8Array;
      readonly paths: readonly string[];
      readonly nodes: Packed;
      readonly staleVersions: readonly number[];
      readonly stalePaths: readonly string[];
    }
  | { readonly kind: 'fault'; readonly id: number; readonly isDamage: boolean; readonly message: string };
