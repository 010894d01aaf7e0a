import { ArgsType, type ClassType, Directive, Int, ObjectType } from 'type-graphql';
import { MAX_PAGE_LIMIT } from '../pagination/cursor.js';
import { ContractField } from './contract-field.js';

// Connections follow the GraphQL Cursor Connections Specification (https://relay.dev/graphql/connections.htm), which
// fixes the names of these members.

const CURSOR_EXAMPLE = 'WzEsMTc3MjQ2MDY2OTEyMywiZXZ0XzAxIl0';

@ObjectType({ description: 'The place of a page in its connection.' })
@Directive('@shareable')
export class PageInfo {
  @ContractField(() => Boolean, { description: 'Whether a page follows.', example: true })
  hasNextPage!: boolean;

  @ContractField(() => Boolean, {
    description: 'Whether a page precedes: true if the page was asked with `after`.',
    example: false,
  })
  hasPreviousPage!: boolean;

  @ContractField(() => String, {
    description: 'Cursor of the first item; null on an empty page.',
    nullable: true,
    example: CURSOR_EXAMPLE,
  })
  startCursor!: string | null;

  @ContractField(() => String, {
    description:
      'Value of `after` for the next page. A page can be short or empty and have a next page, because a filter examines a limited number of records at a time.',
    nullable: true,
    example: CURSOR_EXAMPLE,
  })
  endCursor!: string | null;
}

/** Place and length of a page of a connection; filters of a connection extend this class. */
@ArgsType()
export class ConnectionArgs {
  @ContractField(() => Int, {
    description: 'Maximum number of items.',
    example: 50,
    minimum: 1,
    maximum: MAX_PAGE_LIMIT,
  })
  first!: number;

  @ContractField(() => String, {
    description: 'The `endCursor` of the previous page, or the cursor of an edge.',
    example: CURSOR_EXAMPLE,
    optional: true,
    minLength: 1,
    maxLength: 1_024,
  })
  after?: string;
}

export interface Edge<T> {
  readonly cursor: string;
  readonly node: T;
}

/** The edge type of a connection: `{ cursor, node }`. */
export function edgeType<T extends object>(name: string, node: () => ClassType<T>): ClassType<Edge<T>> {
  @ObjectType(name, { description: 'An item of a connection and its place.' })
  class EdgeOf {
    @ContractField(() => String, { description: 'Place of the item.', example: CURSOR_EXAMPLE })
    cursor!: string;

    @ContractField(node, { description: 'The item.' })
    node!: T;
  }
  return EdgeOf;
}
