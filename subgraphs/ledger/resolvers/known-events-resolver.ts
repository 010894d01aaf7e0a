import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantContexts } from '../service/tenant-context.js';

const MOST_ASKED = 1_000;

/** For parts that keep references to events: in no API schema, and closed to every key by its scope. */
@Resolver()
export class KnownEventsResolver {
  readonly #contexts: TenantContexts;

  constructor(contexts: TenantContexts) {
    this.#contexts = contexts;
  }

  @Directive('@inaccessible')
  @Query(() => [String], { description: 'Those of these events that the tenant has.' })
  async knownEvents(
    @Ctx() context: RequestContext,
    @Arg('event_ids', () => [String], { description: 'The events.' }) eventIds: string[],
  ): Promise<string[]> {
    const { ledger } = await this.#contexts.of(authorise(context, INTERNAL_SCOPE));
    if (eventIds.length > MOST_ASKED) {
      throw problem('VALIDATION_ERROR', { errors: [fault('/event_ids', 'length', `At most ${MOST_ASKED} events.`)] });
    }
    const asked = [...new Set(eventIds)].filter((id) => isIdOf('event', id));
    const found = await Promise.all(asked.map((id) => ledger.keysOf(id)));
    return asked.filter((_, i) => found[i] != null);
  }
}
