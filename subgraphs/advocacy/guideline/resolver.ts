import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { EventAnswerArgs } from '../answers/schema.js';
import { type CheckGuidelineDeps, checkGuideline } from './check-guideline.js';
import { type PreviewDeps, previewRule } from './preview-rule.js';
import { DEFAULT_PREVIEW_LAST, GuidelineAnswer, RulePreview, RulePreviewArgs } from './schema.js';

@Resolver()
export class GuidelineResolver {
  readonly #deps: CheckGuidelineDeps & PreviewDeps;

  constructor(deps: CheckGuidelineDeps & PreviewDeps) {
    this.#deps = deps;
  }

  @Query(() => GuidelineAnswer, { description: 'Checks whether published guidelines support the service of an event.' })
  guidelineCheck(
    @Args(() => EventAnswerArgs) { event_id: eventId, record, purpose }: EventAnswerArgs,
    @Ctx() context: RequestContext,
  ) {
    return checkGuideline(this.#deps, context, { eventId, record: record ?? false, purpose: purpose ?? null });
  }

  @Query(() => RulePreview, { description: 'Evaluates a rule on the newest events, and stores nothing.' })
  rulePreview(@Args(() => RulePreviewArgs) { rule, last }: RulePreviewArgs, @Ctx() context: RequestContext) {
    const { key, title, kind, effective_from, ...rest } = rule;
    const given = { key, title, kind, effective_from, ...withoutNulls(rest) };
    return previewRule(this.#deps, context, given, last ?? DEFAULT_PREVIEW_LAST);
  }
}
