import type { MapNodeName, MapNodes, MapUpdate } from '../../../shared/state-map/update.js';

/** Stored nodes of a map in memory, with a count of the reads. */
export class MemoryNodes implements MapNodes {
  readonly #nodes = new Map<string, Buffer>();
  reads = 0;

  get size(): number {
    return this.#nodes.size;
  }

  async read(names: readonly MapNodeName[]): Promise<readonly Buffer[]> {
    this.reads++;
    return names.map(({ version, path }) => {
      const bytes = this.#nodes.get(`${version}/${path}`);
      if (!bytes) throw new Error(`no node ${version}/${path}`);
      return bytes;
    });
  }

  /** Stores the nodes of an update. */
  keep(version: number, { written }: MapUpdate): void {
    for (const { path, bytes } of written) this.#nodes.set(`${version}/${path}`, bytes);
  }

  /** Removes the nodes that an update has replaced. */
  prune({ stale }: MapUpdate): void {
    for (const { version, path } of stale) this.#nodes.delete(`${version}/${path}`);
  }
}
