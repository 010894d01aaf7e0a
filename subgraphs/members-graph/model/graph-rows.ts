import { deserialize } from 'bson';
import { RAW, RawFields, rawDocument } from '../../../shared/db/raw-fields.js';
import type { StoredEdgeKind } from '../domain/graph/edge-kinds.js';
import type { EdgeEnd, GraphRecord } from '../domain/graph/graph-record.js';
import { kindOfNode, type NodeId, type RecordNodeKind } from '../domain/graph/node-id.js';
import type { ReadRecord } from '../service/ports/graph-store.js';

/** Members that say nothing are left out: most records are events. */
export interface StoredRecord {
  readonly _id: { readonly tenant_id: string; readonly generation: number; readonly node: string };
  readonly tenant_id: string;
  readonly generation: number;
  readonly node: string;
  readonly at: Date;
  readonly ends: readonly string[];
  readonly label?: string;
  readonly status?: string;
  readonly source_system?: string;
  readonly category: string;
  readonly labels?: readonly string[];
  readonly read_at: Date;
}

/** Of an edge that a redaction hides. */
export const HIDDEN = 'H';

const endOf = ({ kind, to, hidden }: EdgeEnd): string => `${to}\n${kind}${hidden ? `\n${HIDDEN}` : ''}`;

function edgeOfEnd(end: string): EdgeEnd {
  const border = end.indexOf('\n');
  const mark = end.indexOf('\n', border + 1);
  const to = end.slice(0, border) as NodeId;
  if (mark === -1) return { kind: end.slice(border + 1) as StoredEdgeKind, to };
  return { kind: end.slice(border + 1, mark) as StoredEdgeKind, to, hidden: true };
}

export function storedOf(tenantId: string, generation: number, { record, readAtMs }: ReadRecord): StoredRecord {
  const { node, at_ms, label, status, source_system, category, labels, edges } = record;
  return {
    _id: { tenant_id: tenantId, generation, node },
    tenant_id: tenantId,
    generation,
    node,
    at: new Date(at_ms),
    ends: edges.map(endOf),
    category,
    read_at: new Date(readAtMs),
    ...(label !== null && { label }),
    ...(status !== null && { status }),
    ...(source_system !== null && { source_system }),
    ...(labels.length > 0 && { labels }),
  };
}

const ROW = new RawFields([
  '_id',
  'tenant_id',
  'generation',
  'node',
  'at',
  'ends',
  'category',
  'read_at',
  'label',
  'status',
  'source_system',
  'labels',
]);
const [NODE, AT, ENDS, CATEGORY, LABEL, STATUS, SOURCE, LABELS] = [3, 4, 5, 6, 8, 9, 10, 11] as const;

/** A record from the bytes of a reply: walks read them by the thousand. What looks otherwise is read by the library. */
export function readGraphRecord(raw: unknown): GraphRecord {
  const document = rawDocument(raw);
  if (!isPlain(document)) return recordOf(deserialize(document) as StoredRecord);
  const optional = (slot: number): string | null => (ROW.type(slot) === 0 ? null : ROW.text(slot));
  const node = ROW.text(NODE) as NodeId;
  const ends = textsAt(document, ROW.place(ENDS));
  const labels = ROW.type(LABELS) === 0 ? [] : textsAt(document, ROW.place(LABELS));
  if (ends === undefined || labels === undefined) return recordOf(deserialize(document) as StoredRecord);
  return {
    node,
    kind: kindOfNode(node) as RecordNodeKind,
    at_ms: ROW.epochMs(AT),
    label: optional(LABEL),
    status: optional(STATUS),
    source_system: optional(SOURCE),
    category: ROW.text(CATEGORY),
    labels,
    edges: ends.map(edgeOfEnd),
  };
}

function isPlain(document: Buffer): boolean {
  if (!ROW.find(document) || !ROW.has(NODE, RAW.string) || !ROW.has(AT, RAW.date)) return false;
  if (!ROW.has(ENDS, RAW.array) || !ROW.has(CATEGORY, RAW.string)) return false;
  if (ROW.type(LABELS) !== 0 && !ROW.has(LABELS, RAW.array)) return false;
  return [LABEL, STATUS, SOURCE].every((slot) => ROW.type(slot) === 0 || ROW.has(slot, RAW.string));
}

/** Texts of an array; undefined where something else stands in it. */
function textsAt(document: Buffer, start: number): string[] | undefined {
  const texts: string[] = [];
  const end = start + document.readInt32LE(start) - 1;
  for (let at = start + 4; at < end; ) {
    if (document[at] !== RAW.string) return undefined;
    while (document[++at] !== 0);
    const size = document.readInt32LE(++at);
    texts.push(document.toString('utf8', at + 4, at + 3 + size));
    at += 4 + size;
  }
  return texts;
}

const recordOf = (row: StoredRecord): GraphRecord => ({
  node: row.node as NodeId,
  kind: kindOfNode(row.node as NodeId) as RecordNodeKind,
  at_ms: row.at.getTime(),
  label: row.label ?? null,
  status: row.status ?? null,
  source_system: row.source_system ?? null,
  category: row.category,
  labels: row.labels ?? [],
  edges: row.ends.map(edgeOfEnd),
});
