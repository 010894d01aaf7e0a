import { Arg, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type {
  AppliedEventRedaction,
  EventPointersJudged,
  EventRedaction,
  EventRedactionOrder,
  EventRendition,
} from '../../../shared/contracts/redactions.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { TenantContexts } from '../append/index.js';
import { hideEvent, pointersOf, type RedactDeps, renderRedaction } from './redact-events.js';

interface RedactionResolverDeps extends RedactDeps {
  readonly contexts: TenantContexts;
}

const ORDER = { description: 'Event and pointers to hide (EventRedactionOrder).' };

/** Serves the other subgraphs: its fields are in no API schema, and their scope rejects every API key. */
@Resolver()
export class RedactionResolver {
  readonly #deps: RedactionResolverDeps;

  constructor(deps: RedactionResolverDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Fields that applied redactions hide: pairs of event and redaction.' })
  async eventRedactions(
    @Ctx() context: RequestContext,
    @Arg('event_ids', () => [String], { description: 'The events.' }) eventIds: string[],
  ): Promise<readonly (readonly [string, EventRedaction])[]> {
    const hidden = await this.#deps.redactions(authorise(context, INTERNAL_SCOPE)).of(eventIds);
    return [...hidden].map(([id, { redaction_id, pointers }]) => [id, { redaction_id, pointers }]);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'What pointers would hide of an event (EventPointersJudged).' })
  async judgeRedaction(
    @Ctx() context: RequestContext,
    @Arg('event_id', () => String, { description: 'The event.' }) eventId: string,
    @Arg('pointers', () => [String], { description: 'Pointers (RFC 6901) into its record.' }) pointers: string[],
  ): Promise<EventPointersJudged> {
    const tenant = await this.#deps.contexts.of(authorise(context, INTERNAL_SCOPE));
    return pointersOf(this.#deps, tenant, eventId, pointers);
  }

  @Directive('@inaccessible')
  @Mutation(() => JsonScalar, { description: 'Makes the redacted line of an event (EventRendition).' })
  async renderEventRedaction(
    @Ctx() context: RequestContext,
    @Arg('order', () => JsonScalar, ORDER) order: EventRedactionOrder,
  ): Promise<EventRendition> {
    const tenant = await this.#deps.contexts.of(authorise(context, INTERNAL_SCOPE));
    return renderRedaction(this.#deps, tenant, order);
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, { description: 'Hides leaves of an event; true when readers get the rendition.' })
  async hideEvent(
    @Ctx() context: RequestContext,
    @Arg('order', () => JsonScalar, ORDER) order: AppliedEventRedaction,
  ): Promise<boolean> {
    const tenant = await this.#deps.contexts.of(authorise(context, INTERNAL_SCOPE));
    await hideEvent(this.#deps, tenant, order);
    return true;
  }
}
