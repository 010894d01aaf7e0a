import { sha256Hex } from '../../../../shared/crypto/hash.js';

// Node ids of the graph (api.md section 6 "Graph"): `kind:id`. The id is everything after the first colon. The id of a claim
// or a code is `system/number`, split at the first slash.

export const NODE_KINDS = [
  'member',
  'event',
  'document',
  'bundle',
  'matter',
  'hold',
  'rule',
  'provider',
  'claim',
  'code',
] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

declare const nodeBrand: unique symbol;
/** A well-formed node id. */
export type NodeId = string & { readonly [nodeBrand]: true };

/** Kinds of record nodes; the other nodes exist because records name them. */
const RECORD_KINDS = ['event', 'document', 'bundle', 'matter', 'hold', 'rule'] as const satisfies NodeKind[];
export type RecordNodeKind = (typeof RECORD_KINDS)[number];

/** Longest id after the colon; a longer id is replaced by its hash to keep index entries small. */
const MAX_ID_LENGTH = 256;
/** Longest node id that a request may name. */
export const MAX_NODE_LENGTH = 300;

// Keys of edges use control characters as separators (record.ts).
const PRINTABLE = /^[^\p{Cc}]+$/u;
const NPI = /^\d{10}$/;

const NODE_KIND_NAMES: ReadonlySet<string> = new Set(NODE_KINDS);
const RECORD_KIND_NAMES: ReadonlySet<string> = new Set(RECORD_KINDS);
const isNodeKind = (text: string): text is NodeKind => NODE_KIND_NAMES.has(text);
const isRecordKind = (kind: NodeKind): kind is RecordNodeKind => RECORD_KIND_NAMES.has(kind);

interface ParsedNode {
  readonly node: NodeId;
  readonly kind: NodeKind;
  readonly id: string;
}

/** @returns undefined for an invalid node id */
export function parseNode(text: string): ParsedNode | undefined {
  const colon = text.indexOf(':');
  const kind = text.slice(0, Math.max(colon, 0));
  const id = text.slice(colon + 1);
  if (!isNodeKind(kind) || id === '' || text.length > MAX_NODE_LENGTH || !PRINTABLE.test(id)) return undefined;
  if (kind === 'provider' && !NPI.test(id)) return undefined;
  if ((kind === 'claim' || kind === 'code') && !/^[^/]+\/./u.test(id)) return undefined;
  // The checks above make the text a node id.
  return { node: text as NodeId, kind, id };
}

/** Returns the kind of a well-formed id. */
export function kindOfNode(node: NodeId): NodeKind {
  const kind = node.slice(0, node.indexOf(':'));
  if (isNodeKind(kind)) return kind;
  throw new RangeError(`${kind} is not a kind of node`);
}
/** @throws RangeError for a node that is no record */
export function recordKindOf(node: NodeId): RecordNodeKind {
  const kind = kindOfNode(node);
  if (isRecordKind(kind)) return kind;
  throw new RangeError(`${kind} is not a kind of record`);
}

export const idOfNode = (node: NodeId): string => node.slice(node.indexOf(':') + 1);
export const isRecordNode = (node: NodeId): boolean => isRecordKind(kindOfNode(node));

/** @returns undefined for an id that is empty or has control characters */
export function nodeOf(kind: NodeKind, id: string): NodeId | undefined {
  const held = id.length > MAX_ID_LENGTH ? `sha256:${sha256Hex(id)}` : id;
  return parseNode(`${kind}:${held}`)?.node;
}

/** Builds `claim:SOURCE_SYSTEM/ID` and `code:SYSTEM/CODE`; escapes slashes in the first part. */
export function pairNodeOf(kind: 'claim' | 'code', system: string, id: string): NodeId | undefined {
  const whole = `${system.replaceAll('/', '%2F')}/${id}`;
  if (whole.length <= MAX_ID_LENGTH) return nodeOf(kind, whole);
  return nodeOf(kind, `${system.replaceAll('/', '%2F').slice(0, MAX_ID_LENGTH / 2)}/sha256:${sha256Hex(id)}`);
}
