import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { EventAnswerArgs } from '../answers/schema.js';
import { type CheckGuidelineDeps, checkGuideline } from './check-guideline.js';
import { GuidelineAnswer } from './schema.js';

@Resolver()
export class GuidelineResolver {
  readonly #deps: CheckGuidelineDeps;

  constructor(deps: CheckGuidelineDeps) {
    this.#deps = deps;
  }

  @Query(() => GuidelineAnswer, { description: 'Checks whether published guidelines support the service of an event.' })
  guidelineCheck(
    @Args(() => EventAnswerArgs) { event_id: eventId, record, purpose }: EventAnswerArgs,
    @Ctx() context: RequestContext,
  ) {
    return checkGuideline(this.#deps, context, { eventId, record: record ?? false, purpose: purpose ?? null });
  }
}
