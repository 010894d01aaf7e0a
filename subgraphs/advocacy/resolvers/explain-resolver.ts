import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { ExplainArgs, ExplanationAnswer } from '../schema/explanation.js';
import { type ExplainDeps, explainEvent } from '../service/explain-event.js';

@Resolver()
export class ExplainResolver {
  readonly #deps: ExplainDeps;

  constructor(deps: ExplainDeps) {
    this.#deps = deps;
  }

  @Query(() => ExplanationAnswer, { description: 'Why an event came out as it did, in plain words.' })
  async explanation(
    @Args(() => ExplainArgs) { event_id: eventId, language, record, purpose }: ExplainArgs,
    @Ctx() context: RequestContext,
  ): Promise<ExplanationAnswer> {
    const asked = { eventId, language: language ?? 'en', record: record ?? false, purpose: purpose ?? null } as const;
    // Reasons, steps and citations cross the graph as JSON: the shapes in schema/explanation.ts hold them.
    return (await explainEvent(this.#deps, context, asked)) as unknown as ExplanationAnswer;
  }
}
