import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../../shared/auth/context.js';
import { readingOf } from '../../../../shared/auth/reading.js';
import { decodeCursor, encodeCursor } from '../../../../shared/pagination/cursor.js';
import { recorded } from '../../events/index.js';
import { type ConnectionPage, type Count, countVisible, keysetOf, readPage } from '../read-connection.js';
import { type EventQueryDeps, readableCondition, readingEvents } from '../reading-events.js';
import { EventConnection, EventConnectionArgs } from '../schema/connection.js';
import type { EventReader } from '../visible-events.js';

/** A page with the count of all pages, which is made when it is asked for. */
type Counted = Omit<EventConnection, 'totalCount' | 'totalCountIsExact'> & { readonly count: () => Promise<Count> };

@Resolver(() => EventConnection)
export class EventConnectionResolver {
  readonly #deps: EventQueryDeps;

  constructor(deps: EventQueryDeps) {
    this.#deps = deps;
  }

  @Query(() => EventConnection, { description: 'Events that meet a filter, page by page.' })
  async eventConnection(
    @Ctx() context: RequestContext,
    @Args(() => EventConnectionArgs) args: EventConnectionArgs,
  ): Promise<Counted> {
    const reading = readingOf(context, 'events:read', args.purpose);
    const walk = {
      condition: readableCondition(reading, args.filter),
      ascending: args.orderBy === 'EFFECTIVE_AT_ASC',
    };
    const after = args.after == null ? undefined : decodeCursor(args.after);
    const read = <T>(work: (reader: EventReader) => Promise<T>): Promise<T> =>
      readingEvents(this.#deps, context, reading, work);
    let counted: Promise<Count> | undefined;
    return {
      ...connectionOf(await read((reader) => readPage(reader, walk, args.first, after)), after !== undefined),
      count: () => {
        counted ??= read((reader) => countVisible(reader, walk));
        return counted;
      },
    };
  }

  @FieldResolver()
  async totalCount(@Root() { count }: Counted): Promise<number> {
    return (await count()).count;
  }

  @FieldResolver()
  async totalCountIsExact(@Root() { count }: Counted): Promise<boolean> {
    return (await count()).exact;
  }
}

function connectionOf(page: ConnectionPage, hasPrevious: boolean): Omit<Counted, 'count'> {
  const edges = page.items.flatMap((view) => {
    const place = keysetOf(view);
    return place === undefined ? [] : [{ cursor: encodeCursor(place), node: recorded(view) }];
  });
  return {
    nodes: edges.map(({ node }) => node),
    edges,
    pageInfo: {
      hasNextPage: page.hasNext,
      hasPreviousPage: hasPrevious,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: page.end === undefined ? null : encodeCursor(page.end),
    },
    ...(page.withheld === undefined ? {} : { withheld: page.withheld }),
  };
}
