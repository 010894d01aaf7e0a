import { factPayloadOf } from '../../../../shared/facts/fact.js';
import { isReservedSourceSystem } from '../../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import { leafHash } from '../../../../shared/merkle/hashes.js';
import { mapKey, stateValue, u64be } from '../../../../shared/state-map/hashes.js';
import { HOLDS_ACTIVE, type MapKeyName } from '../../../../shared/state-map/keys.js';

// The fold of docs/evidence.md "State map": what one entry changes in the map. The keeper of the tree, verification and the
// audit of a copy use this one function.

/** An entry of the tree, as the fold needs it. */
export interface FoldedEntry {
  readonly tree_index: number;
  readonly source_system: string;
  /** Lower-case hex. */
  readonly entry_hash: string;
  readonly member_tag: string | null;
  /** `payload.matter_id` and `payload.incident_id` as the row's query fields. */
  readonly matter_id?: string | undefined;
  readonly incident_id?: string | undefined;
  /** Keys of the matter and incident logs of a disposed event, in hex. */
  readonly map_logs?: readonly string[] | undefined;
  /** The record; only those of `_records` and `_system` are read. */
  readonly record: JsonObject | null;
}

/** One change of one key. Operations of a key apply in the order of the tree. */
export type MapOp = { readonly key: Buffer; readonly name: MapKeyName | null } & (
  | { readonly kind: 'STATE'; readonly value: Buffer }
  | { readonly kind: 'LOG'; readonly leaf: Buffer; readonly cause: number }
  | { readonly kind: 'ADD' | 'REMOVE'; readonly id: string }
);

/** Returns the changes of an entry in the order in which they apply. */
export function mapOpsOf(entry: FoldedEntry): readonly MapOp[] {
  if (!isReservedSourceSystem(entry.source_system)) return logOps(entry);
  return entry.record === null ? [] : factOps(entry, entry.record);
}

/** Leaf of a log: RFC 6962 over entry_hash ‖ u64be(cause). */
export const logLeaf = (entryHash: Uint8Array, cause: number): Buffer =>
  leafHash(Buffer.concat([entryHash, u64be(cause)]));

function logOps({ tree_index, entry_hash, member_tag, matter_id, incident_id, map_logs = [] }: FoldedEntry): MapOp[] {
  const names: MapKeyName[] = [];
  if (member_tag !== null) names.push({ kind: 'member-log', x: member_tag });
  if (matter_id !== undefined) names.push({ kind: 'matter-log', x: matter_id });
  if (incident_id !== undefined) names.push({ kind: 'incident-log', x: incident_id });
  const keys = names.map((name) => ({ name, key: mapKey(name.kind, name.x) }));
  const kept = map_logs.map((key) => ({ name: null, key: Buffer.from(key, 'hex') }));
  if (keys.length + kept.length === 0) return [];
  const leaf = logLeaf(Buffer.from(entry_hash, 'hex'), tree_index);
  return [...keys, ...kept].map((one) => ({ ...one, kind: 'LOG', leaf, cause: tree_index }));
}

/** The keys of matter and incident that a disposed event keeps, in hex. */
export const keptLogKeys = ({ matter_id, incident_id }: Pick<FoldedEntry, 'matter_id' | 'incident_id'>): string[] => [
  ...(matter_id === undefined ? [] : [mapKey('matter-log', matter_id).toString('hex')]),
  ...(incident_id === undefined ? [] : [mapKey('incident-log', incident_id).toString('hex')]),
];

function factOps({ tree_index, entry_hash }: FoldedEntry, record: JsonObject): readonly MapOp[] {
  const fact = factPayloadOf(record);
  if (fact === null) return [];
  const { kind, id } = fact.subject;
  const value = stateValue(kind, tree_index, Buffer.from(entry_hash, 'hex'));
  const state: MapOp = { kind: 'STATE', key: mapKey(kind, id), name: { kind, x: id }, value };
  if (kind === 'hold') {
    const op = fact.state['status'] === 'ACTIVE' ? 'ADD' : 'REMOVE';
    return [state, listOp(op, HOLDS_ACTIVE, id)];
  }
  return kind === 'document' ? [state, ...attachmentOps(record['payload'], id)] : [state];
}

const listOp = (kind: 'ADD' | 'REMOVE', name: MapKeyName, id: string): MapOp => ({
  kind,
  name,
  key: mapKey(name.kind, name.x),
  id,
});

function attachmentOps(payload: JsonValue | undefined, documentId: string): readonly MapOp[] {
  if (!isJsonObject(payload)) return [];
  const { attached, detached } = payload;
  return [
    ...namesIn(detached).map((name) => listOp('REMOVE', name, documentId)),
    ...namesIn(attached).map((name) => listOp('ADD', name, documentId)),
  ];
}

const ATTACHED_TO = { event: 'event-documents', member: 'member-documents' } as const;

/** `event/EVENT_ID` and `member/MEMBER_TAG`; any other text names no list. */
function namesIn(list: JsonValue | undefined): MapKeyName[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((text) => {
    const [, to, x] = /^(event|member)\/(.+)$/s.exec(String(text)) ?? [];
    return x === undefined ? [] : [{ kind: ATTACHED_TO[to === 'event' ? 'event' : 'member'], x }];
  });
}
