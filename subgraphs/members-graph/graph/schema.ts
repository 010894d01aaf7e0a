import { ArgsType, Int, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { ShownEdge, ShownNode } from './domain/answer.js';
import { GRAPH_EDGE_KINDS } from './domain/edge-kinds.js';
import { MAX_NODE_LENGTH, NODE_KINDS } from './domain/node-id.js';

export const MAX_DEPTH = 4;
const MAX_NODES = 5_000;
export const DEFAULT_NODES = 50;
export const DEFAULT_SUBGRAPH_NODES = 500;
export const DEFAULT_PATHS = 5;

const NODE = {
  description:
    'Node id: `member:…`, `event:…`, `claim:SOURCE_SYSTEM/ID`, `code:SYSTEM/CODE`, `provider:NPI` and others.',
  example: 'member:M-1001',
  minLength: 3,
  maxLength: MAX_NODE_LENGTH,
} as const;

@ObjectType({ description: 'A record, or an identifier that records name.' })
export class GraphNode {
  @ContractField(() => String, NODE)
  id!: string;

  @ContractField(() => String, { description: 'Kind of node.', enum: NODE_KINDS, example: 'member' })
  kind!: string;

  @ContractField(() => String, { description: 'Time of a record.', format: 'date-time', optional: true })
  at?: string;

  @ContractField(() => String, {
    description: 'Type of an event, a document or a bundle.',
    optional: true,
    example: 'claim_submitted',
  })
  label?: string;

  @ContractField(() => String, {
    description: 'Outcome of an event (DISPOSED after disposal); status of another record.',
    optional: true,
    example: 'denied',
  })
  status?: string;

  @ContractField(() => String, {
    description: 'Source system of an event or a document.',
    optional: true,
    example: 'claims-837',
  })
  source_system?: string;

  @ContractField(() => [String], {
    description: 'Nodes of records merged into this member; walks treat them as one.',
    optional: true,
  })
  same_as?: readonly string[];
}

@ObjectType({ description: 'An edge between two nodes.' })
export class GraphEdge {
  @ContractField(() => String, {
    ...NODE,
    description: 'The node that states the edge.',
    example: 'event:evt_01JQ0000000000000000000001',
  })
  from!: string;

  @ContractField(() => String, { ...NODE, description: 'The node that the edge leads to.' })
  to!: string;

  @ContractField(() => String, {
    description: 'Relation of `from` to `to`; see docs/graph.md.',
    enum: GRAPH_EDGE_KINDS,
    example: 'CONCERNS',
  })
  kind!: string;

  @ContractField(() => String, { description: 'Time of the edge.', format: 'date-time' })
  at!: string;

  @ContractField(() => String, { description: 'The event at one end.', nullable: true })
  event_id!: string | null;
}

@ObjectType({ description: 'Records that consent withholds.' })
class GraphWithheld {
  @ContractField(() => Int, { description: 'Number of records.', example: 2 })
  count!: number;

  @ContractField(() => String, { description: 'Reason.', example: '42CFR2' })
  reason!: string;
}

@ObjectType({ description: 'Nodes and the edges between them.' })
export class GraphView {
  @ContractField(() => JsonScalar, {
    description: 'Nodes, the requested ones first, nearer ones before others.',
    shape: listShape('GraphNode'),
  })
  nodes!: readonly ShownNode[];

  @ContractField(() => JsonScalar, { description: 'Edges between these nodes.', shape: listShape('GraphEdge') })
  edges!: readonly ShownEdge[];

  @ContractField(() => Boolean, { description: 'True if the answer omits nodes or edges.', example: false })
  truncated!: boolean;

  @ContractField(() => GraphWithheld, {
    description: 'Records that consent withholds for the stated purpose.',
    optional: true,
  })
  withheld?: GraphWithheld;
}

@ObjectType({ description: 'Nodes around one node.' })
export class GraphNeighbors extends GraphView {
  @ContractField(() => String, {
    description: 'Cursor of the next page; null on the last page and for a depth over 1.',
    nullable: true,
  })
  next_cursor!: string | null;
}

@ObjectType({ description: 'Nodes around a member, and the edges that lead to them.' })
export class MemberNeighborhood {
  @ContractField(() => [GraphNode], { description: 'Nodes, the member first, nearer ones before others.' })
  nodes!: readonly ShownNode[];

  @ContractField(() => [GraphEdge], { description: 'Edges at these nodes.' })
  edges!: readonly ShownEdge[];

  @ContractField(() => Boolean, { description: 'True if the answer omits nodes or edges.', example: false })
  truncated!: boolean;

  @ContractField(() => GraphWithheld, {
    description: 'Records that consent withholds for the stated purpose.',
    optional: true,
  })
  withheld?: GraphWithheld;
}

@ObjectType({ description: 'Paths between two nodes.' })
export class GraphPaths extends GraphView {
  @ContractField(() => JsonScalar, {
    description: 'Each path as node ids from end to end, the shortest first; empty if no path exists.',
    shape: { type: 'array', items: { type: 'array', items: { type: 'string' } } },
  })
  paths!: readonly (readonly string[])[];
}

@ObjectType({ description: 'A page of the whole graph: records and their outgoing edges.' })
export class GraphExportPage extends GraphView {
  @ContractField(() => String, { description: 'Cursor of the next page; null on the last page.', nullable: true })
  next_cursor!: string | null;
}

/** Arguments of every graph route: the edges to follow. */
@ArgsType()
class GraphBounds {
  @ContractField(() => String, {
    description: 'Kinds of edges, separated by commas; default all.',
    example: 'CONCERNS,ADJUDICATES',
    optional: true,
    minLength: 1,
    maxLength: 500,
  })
  kinds?: string;

  @ContractField(() => String, {
    description: 'Only edges at this time or later.',
    format: 'date-time',
    optional: true,
  })
  since?: string;

  @ContractField(() => String, { description: 'Only edges before this time.', format: 'date-time', optional: true })
  until?: string;

  @ContractField(() => String, {
    description: 'Purpose of the read, as consents name it; records without consent are withheld.',
    example: 'TREATMENT',
    optional: true,
    minLength: 1,
    maxLength: 64,
  })
  purpose?: string;
}

const DEPTH = {
  description: 'Number of steps; default 1.',
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
    description: `Maximum number of neighbours; default ${DEFAULT_NODES}.`,
    example: DEFAULT_NODES,
    optional: true,
    minimum: 1,
    maximum: MAX_NODES,
  })
  limit?: number;

  @ContractField(() => String, {
    description: 'The `next_cursor` of the previous page; with depth 1.',
    optional: true,
    minLength: 1,
    maxLength: 1024,
  })
  cursor?: string;
}

@ArgsType()
export class NeighborhoodArgs extends GraphBounds {
  @ContractField(() => String, {
    description: 'Any identifier of the member.',
    example: 'M-1001',
    minLength: 1,
    maxLength: 256,
  })
  member_id!: string;

  @ContractField(() => Int, { ...DEPTH, description: 'Number of steps; default 2.', example: 2 })
  depth?: number;

  @ContractField(() => [String], {
    description: 'Show only nodes of these kinds; the walk passes through all kinds.',
    example: ['hold', 'matter'],
    optional: true,
    maxItems: NODE_KINDS.length,
    items: { enum: NODE_KINDS },
  })
  node_kinds?: string[];
}

@ArgsType()
export class SubgraphArgs extends GraphBounds {
  @ContractField(() => String, {
    description: 'At most 50 nodes, separated by commas; write a comma within an id as `%2C`.',
    example: 'member:M-1001,claim:claims-837/C-77',
    minLength: 3,
    maxLength: 8_000,
  })
  roots!: string;

  @ContractField(() => Int, DEPTH)
  depth?: number;

  @ContractField(() => Int, {
    description: `Maximum number of nodes; default ${DEFAULT_SUBGRAPH_NODES}.`,
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
    description: `Maximum number of steps of a path; default ${MAX_DEPTH}.`,
    example: MAX_DEPTH,
    optional: true,
    minimum: 1,
    maximum: MAX_DEPTH,
  })
  max_length?: number;

  @ContractField(() => Int, {
    description: `Maximum number of paths; default ${DEFAULT_PATHS}.`,
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
    description: 'The `next_cursor` of the previous page.',
    optional: true,
    minLength: 1,
    maxLength: 1024,
  })
  cursor?: string;
}
