import { Problem, problem } from '../../../shared/errors/problem.js';
import type { ManifestLog } from '../../../shared/evidence/bundle/manifest.js';
import { LOGS_HEADER, tsvLine } from '../../../shared/evidence/bundle/tsv.js';
import { CompactRange } from '../../../shared/merkle/compact-range.js';
import { leafHash } from '../../../shared/merkle/hashes.js';
import { MAX_LOG_LEAVES, type MapLogKind, type MapLogLeaf } from '../../../shared/state-map/calls.js';
import { MAP_HASH_BYTES, mapKey } from '../../../shared/state-map/hashes.js';
import { settled } from '../../../shared/state-map/multiproof.js';
import type { SpoolFile } from '../archive/index.js';
import { windowOf } from '../bundles/domain/index.js';
import { type Build, type BuildDeps, FrozenTooEarly } from './build-deps.js';
import type { WithheldRecords } from './domain/manifest-records.js';
import type { GatheredDocuments } from './gather-documents.js';
import type { SpooledEvents } from './spool-events.js';

/** Keys of one slice: their tokens fit into one line. */
const SLICE_KEYS = 500;

/** The proof of the state map, and the logs of the scope. */
interface ProvenMap {
  readonly map: SpoolFile;
  readonly logs: SpoolFile;
  readonly listed: readonly ManifestLog[];
}

interface MapParts {
  readonly events: SpooledEvents;
  readonly documents: GatheredDocuments;
  readonly withheld: WithheldRecords;
  readonly holdIds: readonly string[];
  /** Record of the entry `map.committed`. */
  readonly record: string;
}

/** Writes proofs/logs.tsv and proofs/map.jsonl (docs/evidence.md section 5). */
export async function proveMap(deps: BuildDeps, build: Build, parts: MapParts): Promise<ProvenMap> {
  const logs = await build.spools.next();
  await logs.write(LOGS_HEADER);
  const listed: ManifestLog[] = [];
  for (const name of logNames(build)) {
    const rows = new LogRows(build, parts, listed.length);
    const range = new CompactRange();
    for await (const leaves of logPages(deps, build, name)) {
      for (const { entry_hash, cause_index } of leaves) range.append(logLeaf(entry_hash, cause_index));
      await logs.write(leaves.map((leaf) => rows.line(leaf)).join(''));
    }
    listed.push({ ...name, count: range.size, root: range.root().toString('hex') });
  }
  const map = await build.spools.next();
  await map.write(`${parts.record}\n`);
  const keys = sortedKeys(parts, build, listed);
  for (let from = 0; from < keys.length; from += SLICE_KEYS) {
    const slice = keys.slice(from, from + SLICE_KEYS);
    const asked = { keys: slice, after: keys[from - 1] ?? null, last: from + SLICE_KEYS >= keys.length };
    const tokens = await ofFrozenMap(deps.stateMaps.proof(build.tenantId, build.frozen.map.tree_size, asked));
    const whole = settled(Buffer.from(tokens, 'base64'), (key) => isAmong(keys, key.toString('hex')));
    if (whole.length > 0) await map.write(`{"tokens":"${whole.toString('base64')}"}\n`);
  }
  return { map, logs, listed };
}

function isAmong(sorted: readonly string[], key: string): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === key;
}

type LogName = Pick<ManifestLog, 'kind' | 'id' | 'member_id'>;

/** The logs that a scope rests on, in the order of the manifest. */
function logNames({ bundle, frozen }: Pick<Build, 'bundle' | 'frozen'>): readonly LogName[] {
  const { matter_id, incident_id } = bundle.scope;
  return [
    ...frozen.member_ids.map((member_id, i) => ({
      kind: 'member-log' as const,
      id: frozen.member_tags[i] ?? '',
      member_id,
    })),
    ...(matter_id === undefined ? [] : [{ kind: 'matter-log' as const, id: matter_id }]),
    ...(incident_id === undefined ? [] : [{ kind: 'incident-log' as const, id: incident_id }]),
  ];
}

async function* logPages(
  { stateMaps }: BuildDeps,
  { tenantId, frozen }: Build,
  { kind, id }: { readonly kind: MapLogKind; readonly id: string },
): AsyncGenerator<readonly MapLogLeaf[]> {
  for (let from = 0; ; ) {
    const asked = { kind, id, from, limit: MAX_LOG_LEAVES };
    const { leaves, count } = await ofFrozenMap(stateMaps.log(tenantId, frozen.map.tree_size, asked));
    yield leaves;
    from += leaves.length;
    if (from >= count || leaves.length === 0) return;
  }
}

/**
 * Reads from the frozen version of the map. A build that ended let the version go: one that begins again with its frozen
 * inputs freezes new ones.
 *
 * @throws FrozenTooEarly
 */
async function ofFrozenMap<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'NOT_FOUND') throw error;
    throw new FrozenTooEarly('the version of the state map is no longer held');
  }
}

/** Leaf of a log: H(0x00 ‖ entry_hash ‖ u64be(cause)). */
function logLeaf(entryHash: string, cause: number): Buffer {
  const place = Buffer.alloc(8);
  place.writeBigUInt64BE(BigInt(cause));
  return leafHash(Buffer.concat([Buffer.from(entryHash, 'hex'), place]));
}

/** Names each leaf of a log: an event of the bundle, or the reason for which it is left out. */
class LogRows {
  readonly #shown: readonly number[];
  readonly #withheld: WithheldRecords['events'];
  readonly #hasWindow: boolean;
  readonly #number: number;

  constructor({ bundle }: Build, { events, withheld }: MapParts, number: number) {
    const { fromMs, toMs } = windowOf(bundle.scope);
    this.#shown = events.shown;
    this.#withheld = withheld.events;
    this.#hasWindow = fromMs !== undefined || toMs !== undefined;
    this.#number = number;
  }

  /** @throws INTEGRITY_FAILURE for an event that the ledger lists and the queries of the build have not found */
  line({ cause_index, entry_hash, event_id, tree_index }: MapLogLeaf): string {
    const event = this.#numberOf(tree_index);
    const reason = event === null ? this.#reason(event_id) : null;
    return tsvLine([this.#number, cause_index, entry_hash, event, reason]);
  }

  #reason(eventId: string): string {
    if (this.#withheld.has(eventId)) return 'WITHHELD';
    if (this.#hasWindow) return 'OUT_OF_WINDOW';
    throw problem('INTEGRITY_FAILURE', { internal: 'a log of the scope lists an event that was not found' });
  }

  /** The number of the event in the manifest. */
  #numberOf(treeIndex: number): number | null {
    let [low, high] = [0, this.#shown.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#shown[middle] ?? 0) < treeIndex) low = middle + 1;
      else high = middle;
    }
    return this.#shown[low] === treeIndex ? low : null;
  }
}

/** Every key that the bundle rests on, in hex, sorted. */
function sortedKeys(
  { events, documents, holdIds }: MapParts,
  { bundle }: Pick<Build, 'bundle'>,
  logs: readonly ManifestLog[],
): readonly string[] {
  const named: (readonly [kind: string, x: string])[] = [];
  for (const { document_id, state } of documents.documents) {
    named.push(['document', document_id]);
    if (state !== 'DISPOSED') named.push(['document-redaction', document_id]);
  }
  for (const id of holdIds) named.push(['hold', id]);
  if (bundle.scope.matter_id !== undefined) named.push(['matter', bundle.scope.matter_id]);
  for (const { kind, id } of logs) {
    named.push([kind, id]);
    if (kind === 'member-log') named.push(['member', id]);
  }
  const keys = named.map(([kind, x]) => mapKey(kind, x).toString('hex'));
  for (const part of events.mapKeys) {
    for (let at = 0; at < part.length; at += MAP_HASH_BYTES) keys.push(part.toString('hex', at, at + MAP_HASH_BYTES));
  }
  return keys.sort();
}

/** Keys of an event, joined: it is not disposed of, or its disposal is a fact, and so with its redaction. */
export const eventKeys = (eventId: string, isDisposed: boolean): Buffer =>
  isDisposed
    ? mapKey('disposal', eventId)
    : Buffer.concat([mapKey('disposal', eventId), mapKey('event-redaction', eventId)]);
