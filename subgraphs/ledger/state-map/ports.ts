import { MapDamaged, type MapRoot } from '../../../shared/state-map/node.js';
import type { MapChange, MapNodes, MapUpdate } from '../../../shared/state-map/update.js';
import type { LogChunk } from './domain/map-item.js';
import type { FoldedEntry } from './domain/map-ops.js';

/** The state of one key, of the newest version and of the last committed one. */
export interface ItemRow {
  /** Map key in hex. */
  readonly key: string;
  readonly version: number;
  readonly data: Buffer;
  /** The state that a committed version has; a crash returns to it. */
  readonly before: { readonly version: number; readonly data: Buffer } | null;
}

/** Everything that one slice of a fold writes. */
export interface MapWrite {
  readonly version: number;
  readonly update: Pick<MapUpdate, 'written' | 'stale'>;
  readonly items: readonly ItemRow[];
  readonly chunks: readonly (LogChunk & { readonly key: string })[];
}

/** A version that someone still reads. */
export interface MapPin {
  readonly holder: string;
  readonly tree_size: number;
  readonly root: string;
  readonly pinned_at: Date;
}

/** The stored map of one tenant; every row is compared with the committed root before it is used. */
export interface TenantMap extends MapNodes {
  items(keys: readonly string[]): Promise<ReadonlyMap<string, ItemRow>>;
  /** Writes are repeated after a crash: the same rows again change nothing. Durable. */
  write(write: MapWrite): Promise<void>;
  /** Removes the nodes of versions after this one, which a crash left. */
  removeAfter(version: number): Promise<void>;
  /** Removes everything but pins, before a fold from the first entry. */
  removeAll(): Promise<void>;
  /** Removes the nodes that no version from this one on reads. */
  removeStale(version: number): Promise<void>;
  chunk(key: string, number: number): Promise<Buffer | null>;
  pins(): Promise<readonly MapPin[]>;
  pin(pin: MapPin): Promise<void>;
  unpin(holder: string): Promise<void>;
  /** Removes the pins that are older than a time, or have none. */
  unpinBefore(time: Date): Promise<void>;
}

export type MapStore = (tenantId: string) => TenantMap;

/** An entry or leaf of the ledger that is missing or altered: no fold can pass it. */
export class EntryDamaged extends MapDamaged {}

/** Reads the entries of a tenant for the fold. */
export interface FoldReader {
  /**
   * The entries at tree indexes [from, to), in order.
   *
   * @throws EntryDamaged for an entry that is missing or altered
   */
  entries(tenantId: string, from: number, to: number): Promise<readonly FoldedEntry[]>;
}

/** `updateMap`, in a separate thread. */
export type UpdateMap = (
  nodes: MapNodes,
  versions: { readonly from: MapRoot | null; readonly version: number },
  changes: readonly MapChange[],
) => Promise<MapUpdate>;
