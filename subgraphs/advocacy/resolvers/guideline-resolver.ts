import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { GuidelineAnswer, GuidelineArgs } from '../schema/guideline.js';
import { type CheckGuidelineDeps, checkGuideline } from '../service/check-guideline.js';

@Resolver()
export class GuidelineResolver {
  readonly #deps: CheckGuidelineDeps;

  constructor(deps: CheckGuidelineDeps) {
    this.#deps = deps;
  }

  @Query(() => GuidelineAnswer, { description: 'Whether published guidelines support the service of an event.' })
  async guidelineCheck(
    @Args(() => GuidelineArgs) { event_id: eventId, record, purpose }: GuidelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<GuidelineAnswer> {
    // Evidence and criteria cross the graph as JSON: the shapes in schema/guideline.ts hold them.
    return (await checkGuideline(this.#deps, context, {
      eventId,
      record: record ?? false,
      purpose: purpose ?? null,
    })) as unknown as GuidelineAnswer;
  }
}
