import { Args, Ctx, Directive, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../../shared/auth/context.js';
import { familyKey, memberKey } from '../../../../shared/event-keys/event-keys.js';
import { CONTRACT, type ContractExtension } from '../../../../shared/graph/contract-field.js';
import { BatchedEdges } from '../../../../shared/graph/edges/batched-edges.js';
import { DocumentInCustody } from '../../custody/schema.js';
import { recorded } from '../../events/index.js';
import { EventMember, EventRecord, EventRedaction } from '../../events/schema.js';
import { EventLink } from '../../links/schema.js';
import type { AggregateReader } from '../read-aggregate.js';
import { readLinks } from '../read-links.js';
import { MAX_KEYED, readKeyed, readNamed } from '../read-named.js';
import { type EventQueryDeps, readingEvents, readingFor } from '../reading-events.js';
import { EventEdgeArgs } from '../schema/edges.js';
import type { EventReader } from '../visible-events.js';

const GRAPH_ONLY = { [CONTRACT]: { graphOnly: true } satisfies ContractExtension };

/** Reads events of a page by their identifiers together. */
export function namedEvents(deps: EventQueryDeps): BatchedEdges<string, EventRecord | null> {
  return new BatchedEdges(async (context, purpose, eventIds) => {
    const read = (reader: EventReader) => readNamed(reader, eventIds);
    const views = await readingEvents(deps, context, readingFor(context, purpose), read);
    return views.map((view) => view && recorded(view));
  });
}

/** Resolves the references of other subgraphs to events, those of one answer together, by the read of `event`. */
export function eventReferences(deps: EventQueryDeps) {
  const events = namedEvents(deps);
  return ({ event_id }: Readonly<Record<string, unknown>>, context: RequestContext): Promise<EventRecord | null> =>
    events.load(context, '', String(event_id));
}

/** Where events lead to; a page of events costs one read of each edge. */
@Resolver(() => EventRecord)
export class EventEdgeResolver {
  readonly #links: BatchedEdges<string, readonly EventLink[]>;

  constructor(deps: EventQueryDeps) {
    this.#links = new BatchedEdges((context, purpose, eventIds) => {
      const read = (reader: AggregateReader) => readLinks(reader, eventIds);
      return readingEvents(deps, context, readingFor(context, purpose), read);
    });
  }

  /** The members-graph subgraph resolves the reference, under its own scope. */
  @FieldResolver()
  member(@Root() { member_id }: EventRecord): EventMember | null {
    return member_id === undefined ? null : { member_id };
  }

  /** The vault resolves the reference, under its own scope. */
  @FieldResolver()
  redaction(@Root() { redaction_id }: EventRecord): EventRedaction | null {
    return redaction_id === undefined ? null : { redaction_id };
  }

  @FieldResolver()
  links(
    @Root() { event_id }: EventRecord,
    @Args(() => EventEdgeArgs) { purpose }: EventEdgeArgs,
    @Ctx() context: RequestContext,
  ): Promise<readonly EventLink[]> {
    return this.#links.load(context, purpose ?? '', event_id);
  }
}

/** The events at the other ends of links. */
@Resolver(() => EventLink)
export class LinkedEventResolver {
  readonly #events: BatchedEdges<string, EventRecord | null>;

  constructor(deps: EventQueryDeps) {
    this.#events = namedEvents(deps);
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => EventRecord, {
    nullable: true,
    description: 'The other event; null if it is disposed of, or consent withholds it for the purpose.',
  })
  event(
    @Root() { event_id }: EventLink,
    @Args(() => EventEdgeArgs) { purpose }: EventEdgeArgs,
    @Ctx() context: RequestContext,
  ): Promise<EventRecord | null> {
    return this.#events.load(context, purpose ?? '', event_id);
  }
}

/** The claims of members. */
@Resolver(() => EventMember)
export class MemberClaimsResolver {
  readonly #claims: BatchedEdges<string, readonly EventRecord[]>;

  constructor(deps: EventQueryDeps) {
    this.#claims = new BatchedEdges<string, readonly EventRecord[]>(async (context, purpose, memberIds) => {
      const keys = memberIds.map((id) => [memberKey(id), familyKey('claim')]);
      const read = (reader: EventReader) => readKeyed(reader, keys);
      const found = await readingEvents(deps, context, readingFor(context, purpose), read);
      return found.map((views) => views.map(recorded));
    });
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => [EventRecord], {
    description: `Events of family claim under this identifier of the member, the newest first; ${MAX_KEYED} at most.`,
  })
  claims(
    @Root() { member_id }: EventMember,
    @Args(() => EventEdgeArgs) { purpose }: EventEdgeArgs,
    @Ctx() context: RequestContext,
  ): Promise<readonly EventRecord[]> {
    return this.#claims.load(context, purpose ?? '', member_id);
  }
}

const MAX_OF_DOCUMENT = 50;

/** The events of documents. */
@Resolver(() => DocumentInCustody)
export class DocumentEventsResolver {
  readonly #events: BatchedEdges<string, EventRecord | null>;

  constructor(deps: EventQueryDeps) {
    this.#events = namedEvents(deps);
  }

  @Directive('@requires(fields: "event_ids")')
  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => [EventRecord], {
    description: `Events to which it is attached, ${MAX_OF_DOCUMENT} at most, without disposed and withheld ones.`,
  })
  async events(
    @Root() { event_ids }: DocumentInCustody,
    @Args(() => EventEdgeArgs) { purpose }: EventEdgeArgs,
    @Ctx() context: RequestContext,
  ): Promise<readonly EventRecord[]> {
    const named = event_ids.slice(0, MAX_OF_DOCUMENT);
    const found = await Promise.all(named.map((id) => this.#events.load(context, purpose ?? '', id)));
    return found.filter((event) => event !== null);
  }
}
