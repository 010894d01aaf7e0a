import { Arg, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type {
  EventPointersJudged,
  EventRedaction,
  EventRedactionOrder,
  EventRendition,
} from '../../../shared/contracts/redactions.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { hideEvent, judgePointers, type RedactDeps, renderRedaction } from '../service/redact-events.js';
import type { TenantContexts } from '../service/tenant-context.js';

export interface RedactionResolverDeps extends RedactDeps {
  readonly contexts: TenantContexts;
}

const ORDER = { description: 'What is hidden of which event (EventRedactionOrder).' };

/** For the other parts of the service: in no API schema, and closed to every key by its scope. */
@Resolver()
export class RedactionResolver {
  readonly #deps: RedactionResolverDeps;

  constructor(deps: RedactionResolverDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'What applied redactions hide of events: pairs of event and redaction.' })
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
    @Arg('pointers', () => [String], { description: 'RFC 6901, into its record.' }) pointers: string[],
  ): Promise<EventPointersJudged> {
    const tenant = await this.#deps.contexts.of(authorise(context, INTERNAL_SCOPE));
    return judgePointers(tenant, eventId, pointers);
  }

  @Directive('@inaccessible')
  @Mutation(() => JsonScalar, { description: 'Makes the redacted line of an event (EventRendition).' })
  async renderEventRedaction(
    @Ctx() context: RequestContext,
    @Arg('order', () => JsonScalar, ORDER) order: EventRedactionOrder,
  ): Promise<EventRendition> {
    return renderRedaction(await this.#deps.contexts.of(authorise(context, INTERNAL_SCOPE)), order);
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, { description: 'Hides leaves of an event; true when readers get the rendition.' })
  async hideEvent(
    @Ctx() context: RequestContext,
    @Arg('order', () => JsonScalar, ORDER) order: EventRedactionOrder,
  ): Promise<boolean> {
    const tenant = await this.#deps.contexts.of(authorise(context, INTERNAL_SCOPE));
    await hideEvent(this.#deps, tenant, order);
    return true;
  }
}
