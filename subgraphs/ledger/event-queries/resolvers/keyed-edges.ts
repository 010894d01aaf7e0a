import { Args, Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../../shared/auth/context.js';
import {
  CODE_PREFIXES,
  claimKey,
  type EventKey,
  eventKeysOf,
  familyKey,
  keyOf,
  outcomeKey,
  valuesOfKeys,
} from '../../../../shared/event-keys/event-keys.js';
import { CONTRACT, type ContractExtension } from '../../../../shared/graph/contract-field.js';
import { BatchedEdges } from '../../../../shared/graph/edges/batched-edges.js';
import { type EventView, recorded } from '../../events/index.js';
import { EventRecord } from '../../events/schema.js';
import { isDenial } from '../domain/index.js';
import { MAX_KEYED, readKeyed } from '../read-named.js';
import { type EventQueryDeps, readingEvents, readingFor } from '../reading-events.js';
import { saidInView } from '../said.js';
import { EventEdgeArgs } from '../schema/edges.js';
import { Claim, Code, Provider } from '../schema/keyed.js';
import type { EventReader } from '../visible-events.js';

const GRAPH_ONLY = { [CONTRACT]: { graphOnly: true } satisfies ContractExtension };
const MAX_OF_EVENT = 50;

const listed = (records: string) => ({ description: `${records} that the event names, ${MAX_OF_EVENT} at most.` });
const events = (which: string) => ({ description: `${which}, the newest first; ${MAX_KEYED} at most.` });

/** Events by what they name; a page of events costs one look-up for each different name, and one read of the rows. */
export class KeyedEvents {
  readonly #found: BatchedEdges<readonly EventKey[], readonly EventView[]>;

  constructor(deps: EventQueryDeps) {
    this.#found = new BatchedEdges((context, purpose, keys) => {
      const read = (reader: EventReader) => readKeyed(reader, keys);
      return readingEvents(deps, context, readingFor(context, purpose), read);
    });
  }

  async with(context: RequestContext, { purpose }: EventEdgeArgs, keys: readonly EventKey[]): Promise<EventRecord[]> {
    return (await this.#found.load(context, purpose ?? '', keys)).map(recorded);
  }

  async denials(context: RequestContext, { purpose }: EventEdgeArgs, key: EventKey): Promise<EventRecord[]> {
    const found = await this.#found.load(context, purpose ?? '', [key, outcomeKey('denied')]);
    return found.filter((view) => isDenial(saidInView(view))).map(recorded);
  }
}

/** What the visible part of an event names. */
@Resolver(() => EventRecord)
export class EventNamesResolver {
  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => [Provider], listed('Providers'))
  providers(@Root() event: EventView): readonly Provider[] {
    return valuesOfKeys(eventKeysOf(event), 'npi')
      .slice(0, MAX_OF_EVENT)
      .map((npi) => ({ npi }));
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => [Claim], listed('Claims'))
  claims(@Root() event: EventView): readonly Claim[] {
    return valuesOfKeys(eventKeysOf(event), 'claim')
      .slice(0, MAX_OF_EVENT)
      .map((claim_id) => ({ claim_id }));
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => [Code], listed('Codes'))
  codes(@Root() event: EventView): readonly Code[] {
    return eventKeysOf(event).flatMap(codeIn).slice(0, MAX_OF_EVENT);
  }
}

function codeIn(key: EventKey): readonly Code[] {
  const prefix = CODE_PREFIXES.find((one) => key.startsWith(one));
  return prefix === undefined ? [] : [{ system: prefix.slice(0, -1), code: key.slice(prefix.length) }];
}

@Resolver(() => Provider)
export class ProviderEdgeResolver {
  readonly #events: KeyedEvents;

  constructor(deps: EventQueryDeps) {
    this.#events = new KeyedEvents(deps);
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => [EventRecord], events('Denials that name the provider'))
  denials(
    @Root() { npi }: Provider,
    @Args(() => EventEdgeArgs) args: EventEdgeArgs,
    @Ctx() context: RequestContext,
  ): Promise<readonly EventRecord[]> {
    return this.#events.denials(context, args, keyOf('npi', npi));
  }
}

@Resolver(() => Claim)
export class ClaimEdgeResolver {
  readonly #events: KeyedEvents;

  constructor(deps: EventQueryDeps) {
    this.#events = new KeyedEvents(deps);
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => [EventRecord], events('Events that name the claim'))
  events(
    @Root() { claim_id }: Claim,
    @Args(() => EventEdgeArgs) args: EventEdgeArgs,
    @Ctx() context: RequestContext,
  ): Promise<readonly EventRecord[]> {
    return this.#events.with(context, args, [claimKey(claim_id)]);
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => [EventRecord], events('Events of family remittance that name the claim'))
  remittances(
    @Root() { claim_id }: Claim,
    @Args(() => EventEdgeArgs) args: EventEdgeArgs,
    @Ctx() context: RequestContext,
  ): Promise<readonly EventRecord[]> {
    return this.#events.with(context, args, [claimKey(claim_id), familyKey('remittance')]);
  }
}

@Resolver(() => Code)
export class CodeEdgeResolver {
  readonly #events: KeyedEvents;

  constructor(deps: EventQueryDeps) {
    this.#events = new KeyedEvents(deps);
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => [EventRecord], events('Denials that name the code'))
  denials(
    @Root() { system, code }: Code,
    @Args(() => EventEdgeArgs) args: EventEdgeArgs,
    @Ctx() context: RequestContext,
  ): Promise<readonly EventRecord[]> {
    return this.#events.denials(context, args, keyOf(system, code));
  }
}
