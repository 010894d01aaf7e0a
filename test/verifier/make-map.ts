import { leafHash } from '../../shared/merkle/hashes.js';
import {
  EMPTY_SUBTREE,
  logValue,
  mapKey,
  mapLeafHash,
  mapNodeHash,
  stateValue,
} from '../../shared/state-map/hashes.js';
import {
  laterAct,
  type MadeEntry,
  type MadeLedger,
  type MadeLog,
  type MadeMap,
  type MapLeaf,
  treeHash,
} from './make-ledger.js';

// The state map of a made ledger, in the words of docs/evidence.md: no code of the service folds, hashes or proves it.

/** @param size what the entry says of itself; a false one is void */
export function withMap(
  ledger: MadeLedger,
  { map = foldMap(ledger.entries), size = ledger.leaves.length }: { map?: MadeMap; size?: number } = {},
): MadeLedger {
  const payload = { map: 'eas.map/v1', tree_size: size, root: map.root.toString('hex') };
  const named = { source_system: '_map', event_family: 'ledger', event_type: 'map.committed' } as const;
  const entry = laterAct(ledger, { ...named, source_record_id: `map/${size}`, payload });
  const entries = [...ledger.entries, entry];
  return { ...ledger, entries, leaves: [...ledger.leaves, leafHash(Buffer.from(entry.entryHash, 'hex'))], map };
}

export function foldMap(entries: readonly MadeEntry[]): MadeMap {
  const values = new Map<string, Buffer>();
  const logs = new Map<string, MadeLog>();
  for (const entry of entries) {
    const { header, treeIndex, record } = entry;
    const hash = Buffer.from(entry.entryHash, 'hex');
    if (header.source_system.startsWith('_')) {
      const { payload } = JSON.parse(record) as { payload: { fact?: string; subject: { kind: string; id: string } } };
      if (payload.fact !== 'eas.fact/v2') continue;
      const { kind, id } = payload.subject;
      values.set(mapKey(kind, id).toString('hex'), stateValue(kind, treeIndex, hash));
    } else if (header.member_tag !== null) {
      const log = logs.get(header.member_tag) ?? { entries: [], leaves: [] };
      log.entries.push(entry);
      log.leaves.push(logLeaf(hash, treeIndex));
      logs.set(header.member_tag, log);
    }
  }
  for (const [tag, { leaves }] of logs) {
    values.set(mapKey('member-log', tag).toString('hex'), logValue(leaves.length, treeHash(leaves, 0, leaves.length)));
  }
  const leaves = [...values]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ({ key: Buffer.from(key, 'hex'), value }));
  return { leaves, logs, root: hashOf(leaves, 0) };
}

/** H(0x00 ‖ entry_hash ‖ u64be(cause)). */
export function logLeaf(entryHash: Buffer, cause: number): Buffer {
  const place = Buffer.alloc(8);
  place.writeBigUInt64BE(BigInt(cause));
  return leafHash(Buffer.concat([entryHash, place]));
}

const bitAt = (key: Buffer, bit: number): number => ((key[bit >> 3] ?? 0) >> (7 - (bit % 8))) & 1;

function split<T>(items: readonly T[], keyOf: (item: T) => Buffer, depth: number): readonly [T[], T[]] {
  return [
    items.filter((item) => bitAt(keyOf(item), depth) === 0),
    items.filter((item) => bitAt(keyOf(item), depth) === 1),
  ];
}

function hashOf(leaves: readonly MapLeaf[], depth: number): Buffer {
  const [only] = leaves;
  if (only === undefined) return EMPTY_SUBTREE;
  if (leaves.length === 1) return mapLeafHash(only.key, only.value);
  const [left, right] = split(leaves, ({ key }) => key, depth);
  return mapNodeHash(hashOf(left, depth + 1), hashOf(right, depth + 1));
}

/** The tokens that prove these keys, present or absent. */
export function tokensOf(leaves: readonly MapLeaf[], keys: readonly Buffer[], depth = 0): Buffer {
  const [only] = leaves;
  if (only === undefined) return Buffer.of(0);
  if (keys.length === 0) return Buffer.concat([Buffer.of(1), hashOf(leaves, depth)]);
  if (leaves.length === 1) {
    if (keys.some((key) => key.equals(only.key))) return Buffer.of(3);
    return Buffer.concat([Buffer.of(2), only.key, only.value]);
  }
  const [left, right] = split(leaves, ({ key }) => key, depth);
  const [leftKeys, rightKeys] = split(keys, (key) => key, depth);
  return Buffer.concat([Buffer.of(4), tokensOf(left, leftKeys, depth + 1), tokensOf(right, rightKeys, depth + 1)]);
}

/** Keys of a bundle by kind and subject. */
export const keysOf = (names: readonly (readonly [kind: string, x: string])[]): Buffer[] =>
  names.map(([kind, x]) => mapKey(kind, x));
