import { ArgsType, Int, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { GRAPH_EDGE_KINDS } from '../domain/graph/edge-kinds.js';
import type { ShownEdge, ShownNode } from '../domain/graph/graph-answer.js';
import { MAX_NODE_LENGTH, NODE_KINDS } from '../domain/graph/node-id.js';

export const MAX_DEPTH = 4;
export const MAX_NODES = 5_000;
export const DEFAULT_NODES = 50;
export const DEFAULT_SUBGRAPH_NODES = 500;
export const DEFAULT_PATHS = 5;

const NODE = {
  description: 'A node: `member:…`, `event:…`, `claim:SOURCE_SYSTEM/ID`, `code:SYSTEM/CODE`, `provider:NPI` …',
  example: 'member:M-1001',
  minLength: 3,
  maxLength: MAX_NODE_LENGTH,
} as const;

@ObjectType({ description: 'A record, or what records name.' })
export class GraphNode {
  @ContractField(() => String, NODE)
  id!: string;

  @ContractField(() => String, { description: 'What it is.', enum: NODE_KINDS, example: 'member' })
  kind!: string;

  @ContractField(() => String, { description: 'Of a record: when it happened.', format: 'date-time', optional: true })
  at?: string;

  @ContractField(() => String, {
    description: "Of a record: an event's type, a document's, a bundle's.",
    optional: true,
    example: 'claim_submitted',
  })
  label?: string;

  @ContractField(() => String, {
    description: "Of a record: an event's outcome (DISPOSED where its content is gone), the status of others.",
    optional: true,
    example: 'denied',
  })
  status?: string;

  @ContractField(() => String, { description: 'Of an event and a document.', optional: true, example: 'claims-837' })
  source_system?: string;

  @ContractField(() => [String], {
    description: 'Of a member: nodes of records that were merged into it; walked as one.',
    optional: true,
  })
  same_as?: readonly string[];
}

@ObjectType({ description: 'What joins two nodes.' })
export class GraphEdge {
  @ContractField(() => String, {
    ...NODE,
    description: 'The node that says it.',
    example: 'event:evt_01JQ0000000000000000000001',
  })
  from!: string;

  @ContractField(() => String, { ...NODE, description: 'The node that it is said of.' })
  to!: string;

  @ContractField(() => String, {
    description: 'What `from` is to `to`; docs/graph.md lists them.',
    enum: GRAPH_EDGE_KINDS,
    example: 'CONCERNS',
  })
  kind!: string;

  @ContractField(() => String, { description: 'When it came to be so.', format: 'date-time' })
  at!: string;

  @ContractField(() => String, { description: 'The event at one of its ends.', nullable: true })
  event_id!: string | null;
}

@ObjectType({ description: 'What consent kept back.' })
export class GraphWithheld {
  @ContractField(() => Int, { description: 'How many records.', example: 2 })
  count!: number;

  @ContractField(() => String, { description: 'Why.', example: '42CFR2' })
  reason!: string;
}

@ObjectType({ description: 'Nodes, and what joins them.' })
export class GraphView {
  @ContractField(() => JsonScalar, {
    description: 'Nodes, what was asked about first, the nearest before others.',
    shape: listShape('GraphNode'),
  })
  nodes!: readonly ShownNode[];

  @ContractField(() => JsonScalar, { description: 'Edges among these nodes.', shape: listShape('GraphEdge') })
  edges!: readonly ShownEdge[];

  @ContractField(() => Boolean, { description: 'Whether there is more than is shown.', example: false })
  truncated!: boolean;

  @ContractField(() => GraphWithheld, {
    description: 'What consent kept back, where a purpose is stated.',
    optional: true,
  })
  withheld?: GraphWithheld;
}

@ObjectType({ description: 'Nodes around one node.' })
export class GraphNeighbors extends GraphView {
  @ContractField(() => String, {
    description: 'Where direct neighbours go on; null at the end, and at a depth beyond 1.',
    nullable: true,
  })
  next_cursor!: string | null;
}

@ObjectType({ description: 'Ways from one node to another.' })
export class GraphPaths extends GraphView {
  @ContractField(() => JsonScalar, {
    description: 'Each a list of node ids from end to end, the shortest first; empty where there is none.',
    shape: { type: 'array', items: { type: 'array', items: { type: 'string' } } },
  })
  paths!: readonly (readonly string[])[];
}

@ObjectType({ description: 'A page of the whole graph: records, and the edges that go out from them.' })
export class GraphExportPage extends GraphView {
  @ContractField(() => String, { description: 'Of the next page; null on the last one.', nullable: true })
  next_cursor!: string | null;
}

/** Which edges are walked: what every route of the graph takes. */
@ArgsType()
export class GraphBounds {
  @ContractField(() => String, {
    description: 'Kinds of edges, parted by commas; all unless told.',
    example: 'CONCERNS,ADJUDICATES',
    optional: true,
    minLength: 1,
    maxLength: 500,
  })
  kinds?: string;

  @ContractField(() => String, { description: 'Edges from then on.', format: 'date-time', optional: true })
  since?: string;

  @ContractField(() => String, { description: 'Edges before then.', format: 'date-time', optional: true })
  until?: string;

  @ContractField(() => String, {
    description: 'For what it is read, as consents name it: records whose members do not permit it are left out.',
    example: 'TREATMENT',
    optional: true,
    minLength: 1,
    maxLength: 64,
  })
  purpose?: string;
}

const DEPTH = {
  description: 'Steps from there; 1 unless told.',
  example: 1,
  optional: true,
  minimum: 1,
  maximum: MAX_DEPTH,
} as const;

@ArgsType()
export class NeighborArgs extends GraphBounds {
  @ContractField(() => String, NODE)
  node!: string;

  @ContractField(() => Int, DEPTH)
  depth?: number;

  @ContractField(() => Int, {
    description: `Most nodes beside the first; ${DEFAULT_NODES} unless told.`,
    example: DEFAULT_NODES,
    optional: true,
    minimum: 1,
    maximum: MAX_NODES,
  })
  limit?: number;

  @ContractField(() => String, {
    description: 'The `next_cursor` of the page before; with depth 1.',
    optional: true,
    minLength: 1,
    maxLength: 1024,
  })
  cursor?: string;
}

@ArgsType()
export class SubgraphArgs extends GraphBounds {
  @ContractField(() => String, {
    description: 'Nodes, parted by commas; a comma within an id is written `%2C`. 50 at most.',
    example: 'member:M-1001,claim:claims-837/C-77',
    minLength: 3,
    maxLength: 8_000,
  })
  roots!: string;

  @ContractField(() => Int, DEPTH)
  depth?: number;

  @ContractField(() => Int, {
    description: `Most nodes; ${DEFAULT_SUBGRAPH_NODES} unless told.`,
    example: DEFAULT_SUBGRAPH_NODES,
    optional: true,
    minimum: 1,
    maximum: MAX_NODES,
  })
  limit?: number;
}

@ArgsType()
export class PathArgs extends GraphBounds {
  @ContractField(() => String, { ...NODE, description: 'One end.' })
  from!: string;

  @ContractField(() => String, { ...NODE, description: 'The other end.', example: 'claim:claims-837/C-77' })
  to!: string;

  @ContractField(() => Int, {
    description: `Most steps of a path; ${MAX_DEPTH} unless told.`,
    example: MAX_DEPTH,
    optional: true,
    minimum: 1,
    maximum: MAX_DEPTH,
  })
  max_length?: number;

  @ContractField(() => Int, {
    description: `Most paths; ${DEFAULT_PATHS} unless told.`,
    example: DEFAULT_PATHS,
    optional: true,
    minimum: 1,
    maximum: 100,
  })
  limit?: number;
}

@ArgsType()
export class ExportArgs extends GraphBounds {
  @ContractField(() => String, {
    description: 'The `next_cursor` of the page before.',
    optional: true,
    minLength: 1,
    maxLength: 1024,
  })
  cursor?: string;
}
