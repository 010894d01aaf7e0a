import { deserialize } from 'bson';
import { RAW, RawFields, rawDocument } from '../../../../shared/db/raw-fields.js';
import { isStoredKind } from '../domain/edge-kinds.js';
import { type NodeId, recordKindOf } from '../domain/node-id.js';
import type { EdgeEnd, GraphRecord } from '../domain/record.js';
import type { ReadRecord } from '../ports.js';

/** A record as stored; null and empty members are absent. */
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

/** Marks an edge that a redaction hides. */
export const HIDDEN = 'H';

const endOf = ({ kind, to, hidden }: EdgeEnd): string => `${to}\n${kind}${hidden ? `\n${HIDDEN}` : ''}`;

// Node ids were parsed before they were stored; parsing them again would slow walks down.
const storedNode = (text: string): NodeId => text as NodeId;

function edgeOfEnd(end: string): EdgeEnd {
  const border = end.indexOf('\n');
  const mark = end.indexOf('\n', border + 1);
  const kind = mark === -1 ? end.slice(border + 1) : end.slice(border + 1, mark);
  if (!isStoredKind(kind)) throw new TypeError(`a record of the graph has an edge of unknown kind ${kind}`);
  const to = storedNode(end.slice(0, border));
  return mark === -1 ? { kind, to } : { kind, to, hidden: true };
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

/** Reads a record from the bytes of a reply, since walks read thousands. The library reads rows of any other form. */
export function readGraphRecord(raw: unknown): GraphRecord {
  const document = rawDocument(raw);
  if (!isPlain(document)) return recordOf(document);
  const optional = (slot: number): string | null => (ROW.type(slot) === 0 ? null : ROW.text(slot));
  const node = storedNode(ROW.text(NODE));
  const ends = textsAt(document, ROW.place(ENDS));
  const labels = ROW.type(LABELS) === 0 ? [] : textsAt(document, ROW.place(LABELS));
  if (ends === undefined || labels === undefined) return recordOf(document);
  return {
    node,
    kind: recordKindOf(node),
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

/** Reads an array of texts; undefined if it has other values. */
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

function recordOf(document: Buffer): GraphRecord {
  // This store alone writes the collection, from typed rows.
  const row = deserialize(document) as StoredRecord;
  const node = storedNode(row.node);
  return {
    node,
    kind: recordKindOf(node),
    at_ms: row.at.getTime(),
    label: row.label ?? null,
    status: row.status ?? null,
    source_system: row.source_system ?? null,
    category: row.category,
    labels: row.labels ?? [],
    edges: row.ends.map(edgeOfEnd),
  };
}
