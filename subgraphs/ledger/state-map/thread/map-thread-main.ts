import { parentPort } from 'node:worker_threads';
import { MapDamaged } from '../../../../shared/state-map/node.js';
import { type MapChange, type MapNodeName, updateMap } from '../../../../shared/state-map/update.js';
import { type MapAnswer, type MapRequest, pack, roomsOf, type UpdateRequest, unpack } from './map-messages.js';

// The thread that hashes maps. It asks the service for the nodes that it needs; the database stays with the service.

const port = parentPort;
if (port === null) throw new Error('this file runs in a thread');

interface Waiting {
  resolve(nodes: readonly Buffer[]): void;
  reject(error: Error): void;
}
const waiting = new Map<number, Waiting>();

const answer = (message: MapAnswer, rooms: ArrayBuffer[] = []): void => port.postMessage(message, rooms);

port.on('message', (request: MapRequest) => {
  if (request.kind === 'update') void updated(request);
  else if (request.kind === 'nodes') waiting.get(request.id)?.resolve(unpack(request.nodes));
  else waiting.get(request.id)?.reject(new Error(request.message));
});

async function updated(request: UpdateRequest): Promise<void> {
  const { id, version, from } = request;
  const read = (names: readonly MapNodeName[]) =>
    new Promise<readonly Buffer[]>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      answer({ kind: 'read', id, versions: names.map((name) => name.version), paths: names.map(({ path }) => path) });
    });
  try {
    const base = from && { version: from.version, root: Buffer.from(from.root) };
    const { root, written, stale } = await updateMap({ read }, { from: base, version }, changesOf(request));
    const nodes = pack(written.map(({ bytes }) => bytes));
    const paths = written.map(({ path }) => path);
    const staleVersions = stale.map((name) => name.version);
    const stalePaths = stale.map(({ path }) => path);
    answer(
      { kind: 'updated', id, root: Uint8Array.from(root), paths, nodes, staleVersions, stalePaths },
      roomsOf(nodes),
    );
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    answer({ kind: 'fault', id, isDamage: error instanceof MapDamaged, message });
  } finally {
    waiting.delete(id);
  }
}

function changesOf({ keys, values, befores, isCompared }: UpdateRequest): readonly MapChange[] {
  const [allValues, allBefores] = [unpack(values), unpack(befores)];
  return unpack(keys).map((key, i): MapChange => {
    const entry = { key, value: allValues[i] ?? Buffer.alloc(0) };
    if (isCompared[i] !== 1) return entry;
    const before = allBefores[i] ?? Buffer.alloc(0);
    return { ...entry, before: before.length === 0 ? null : before };
  });
}
