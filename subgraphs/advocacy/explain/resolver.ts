import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { type ExplainDeps, explainEvent } from './explain-event.js';
import { ExplainArgs, ExplanationAnswer } from './schema/index.js';

@Resolver()
export class ExplainResolver {
  readonly #deps: ExplainDeps;

  constructor(deps: ExplainDeps) {
    this.#deps = deps;
  }

  @Query(() => ExplanationAnswer, { description: 'Explains the outcome of an event in plain words.' })
  explanation(
    @Args(() => ExplainArgs) { event_id: eventId, language, record, purpose }: ExplainArgs,
    @Ctx() context: RequestContext,
  ) {
    const request = { eventId, language: language ?? 'en', record: record ?? false, purpose: purpose ?? null } as const;
    return explainEvent(this.#deps, context, request);
  }
}
