import { Worker } from 'node:worker_threads';
import { MapDamaged, type MapRoot } from '../../../../shared/state-map/node.js';
import type { MapChange, MapNodes, MapUpdate } from '../../../../shared/state-map/update.js';
import { compiledFile } from '../../../../shared/threads/compiled-file.js';
import { type MapAnswer, type MapRequest, pack, roomsOf, unpack } from './map-messages.js';

interface Running {
  readonly nodes: MapNodes;
  resolve(update: MapUpdate): void;
  reject(error: Error): void;
}

const HEAP_LIMITS = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 512 } as const;

/** `updateMap` in a thread. The first update starts it; an update after its end starts it again. */
export class MapThread {
  readonly #running = new Map<number, Running>();
  #worker: Worker | null = null;
  #lastId = 0;

  update(
    nodes: MapNodes,
    { from, version }: { readonly from: MapRoot | null; readonly version: number },
    changes: readonly MapChange[],
  ): Promise<MapUpdate> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#running.set(id, { nodes, resolve, reject });
      this.#worker ??= this.#start();
      this.#worker.ref();
      const keys = pack(changes.map(({ key }) => key));
      const values = pack(changes.map(({ value }) => value));
      const befores = pack(changes.map(({ before }) => before ?? new Uint8Array(0)));
      const isCompared = Uint8Array.from(changes, ({ before }) => (before === undefined ? 0 : 1));
      const base = from && { version: from.version, root: Uint8Array.from(from.root) };
      const request = { kind: 'update', id, version, from: base, keys, values, befores, isCompared } as const;
      this.#ask(request, [...roomsOf(keys), ...roomsOf(values), ...roomsOf(befores)]);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #ask(request: MapRequest, rooms: ArrayBuffer[] = []): void {
    this.#worker?.postMessage(request, rooms);
  }

  async #answered(answer: MapAnswer): Promise<void> {
    const running = this.#running.get(answer.id);
    if (running === undefined) return;
    if (answer.kind === 'read') return this.#read(running, answer);
    this.#running.delete(answer.id);
    if (this.#running.size === 0) this.#worker?.unref();
    if (answer.kind === 'fault') {
      running.reject(answer.isDamage ? new MapDamaged(answer.message) : new Error(answer.message));
      return;
    }
    const { root, paths, nodes, staleVersions, stalePaths } = answer;
    const bytes = unpack(nodes);
    running.resolve({
      root: Buffer.from(root),
      written: paths.map((path, i) => ({ path, bytes: bytes[i] ?? Buffer.alloc(0) })),
      stale: stalePaths.map((path, i) => ({ version: staleVersions[i] ?? 0, path })),
    });
  }

  async #read(running: Running, { id, versions, paths }: MapAnswer & { readonly kind: 'read' }): Promise<void> {
    try {
      const nodes = pack(await running.nodes.read(paths.map((path, i) => ({ version: versions[i] ?? 0, path }))));
      this.#ask({ kind: 'nodes', id, nodes }, roomsOf(nodes));
    } catch (error) {
      // The caller gets the error of the database itself.
      this.#running.delete(id);
      running.reject(error instanceof Error ? error : new Error(String(error)));
      this.#ask({ kind: 'unread', id, message: 'the nodes could not be read' });
    }
  }

  #start(): Worker {
    const worker = new Worker(compiledFile(import.meta.url, 'map-thread-main.js'), { resourceLimits: HEAP_LIMITS });
    worker.on('message', (answer: MapAnswer) => void this.#answered(answer));
    // The `exit` event that follows reports the end to the waiting updates.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      for (const { reject } of this.#running.values()) reject(new Error('the thread of the state map has ended'));
      this.#running.clear();
    });
    return worker;
  }
}
