import { sha256Hex } from '../../../../shared/crypto/hash.js';

// Node ids of the graph (api.md section 6 "Graph"): `kind:id`. Everything behind the first colon is the id, whatever it holds;
// of a claim and a code it is a system and a number, parted by the first slash.

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

/** Nodes that stand for a record of their own; the others are there because records name them. */
export const RECORD_KINDS = ['event', 'document', 'bundle', 'matter', 'hold', 'rule'] as const satisfies NodeKind[];
export type RecordNodeKind = (typeof RECORD_KINDS)[number];

/** Of the part behind the colon; what is longer is named by its hash, so that an index entry stays small. */
const MAX_ID_LENGTH = 256;
/** Longest node id that can be asked for. */
export const MAX_NODE_LENGTH = 300;

// Control characters part the members of keys (graph-record.ts), and no identifier holds one.
const PRINTABLE = /^[^\p{Cc}]+$/u;
const NPI = /^\d{10}$/;

const isNodeKind = (text: string): text is NodeKind => (NODE_KINDS as readonly string[]).includes(text);
const isRecordKind = (kind: NodeKind): kind is RecordNodeKind => (RECORD_KINDS as readonly string[]).includes(kind);

export interface ParsedNode {
  readonly node: NodeId;
  readonly kind: NodeKind;
  readonly id: string;
}

/** Undefined for a text that is no node id. */
export function parseNode(text: string): ParsedNode | undefined {
  const colon = text.indexOf(':');
  const kind = text.slice(0, Math.max(colon, 0));
  const id = text.slice(colon + 1);
  if (!isNodeKind(kind) || id === '' || text.length > MAX_NODE_LENGTH || !PRINTABLE.test(id)) return undefined;
  if (kind === 'provider' && !NPI.test(id)) return undefined;
  if ((kind === 'claim' || kind === 'code') && !/^[^/]+\/./u.test(id)) return undefined;
  return { node: text as NodeId, kind, id };
}

/** The kind of a well-formed id. */
export const kindOfNode = (node: NodeId): NodeKind => node.slice(0, node.indexOf(':')) as NodeKind;
export const idOfNode = (node: NodeId): string => node.slice(node.indexOf(':') + 1);
export const isRecordNode = (node: NodeId): boolean => isRecordKind(kindOfNode(node));

/** Undefined where the id could not stand in a node id: empty, or with control characters. */
export function nodeOf(kind: NodeKind, id: string): NodeId | undefined {
  const held = id.length > MAX_ID_LENGTH ? `sha256:${sha256Hex(id)}` : id;
  return parseNode(`${kind}:${held}`)?.node;
}

/** `claim:SOURCE_SYSTEM/ID` and `code:SYSTEM/CODE`; a slash in the first part would shift the border. */
export function pairNodeOf(kind: 'claim' | 'code', system: string, id: string): NodeId | undefined {
  const whole = `${system.replaceAll('/', '%2F')}/${id}`;
  if (whole.length <= MAX_ID_LENGTH) return nodeOf(kind, whole);
  return nodeOf(kind, `${system.replaceAll('/', '%2F').slice(0, MAX_ID_LENGTH / 2)}/sha256:${sha256Hex(id)}`);
}
