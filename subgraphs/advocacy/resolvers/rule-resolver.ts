import { Arg, Args, Ctx, Directive, Int, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { Rule, RuleFilter, RuleInput, RulePage, RuleRevisionFilter } from '../schema/rule.js';
import { type PutRuleDeps, putRule } from '../service/put-rule.js';
import { getRule, getRuleRevision, listRuleRevisions, listRules, type ShownRevision } from '../service/read-rules.js';

type RuleResolverDeps = PutRuleDeps;

const iso = (at: Date): string => isoTime(at.getTime());

const shown = (revision: ShownRevision): Rule => ({
  ...revision,
  codes: [...revision.codes],
  effective_from: iso(revision.effective_from),
  effective_to: revision.effective_to === null ? null : iso(revision.effective_to),
  created_at: iso(revision.created_at),
});

const shownPage = ({ items, next_cursor }: Page<ShownRevision>): Page<Rule> => ({
  items: items.map(shown),
  next_cursor,
});

const RULE_ID = { description: 'The rule.' };

@Resolver()
export class RuleResolver {
  readonly #deps: RuleResolverDeps;

  constructor(deps: RuleResolverDeps) {
    this.#deps = deps;
  }

  @Mutation(() => Rule, { description: 'Adds a rule, or the next revision of the rule of that key.' })
  async putRule(@Arg('input', () => RuleInput) input: RuleInput, @Ctx() context: RequestContext): Promise<Rule> {
    const { key, title, kind, effective_from, ...rest } = input;
    return shown(await putRule(this.#deps, context, { key, title, kind, effective_from, ...withoutNulls(rest) }));
  }

  @Query(() => RulePage, { description: "Rules that the tenant reads: its own and the shared corpus's." })
  async rules(@Args(() => RuleFilter) filter: RuleFilter, @Ctx() context: RequestContext): Promise<Page<Rule>> {
    const { from, to, at, limit = DEFAULT_PAGE_LIMIT, order = 'desc', ...rest } = withoutNulls(filter);
    const fromMs = from === undefined ? undefined : instantOf(from);
    const toMs = to === undefined ? undefined : instantOf(to);
    const atMs = at === undefined ? undefined : instantOf(at);
    const moment = atMs === undefined ? undefined : new Date(atMs);
    return shownPage(await listRules(this.#deps, context, { ...rest, limit, order, fromMs, toMs, at: moment }));
  }

  @Query(() => Rule, { nullable: true, description: 'A rule in its newest revision.' })
  async rule(@Arg('rule_id', () => String, RULE_ID) id: string, @Ctx() context: RequestContext): Promise<Rule | null> {
    const found = await getRule(this.#deps, context, id);
    return found === null ? null : shown(found);
  }

  @Query(() => RulePage, { nullable: true, description: 'All revisions of a rule, newest first.' })
  async ruleRevisions(
    @Args(() => RuleRevisionFilter) { rule_id: ruleId, limit, cursor }: RuleRevisionFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<Rule> | null> {
    const asked = { ruleId, limit: limit ?? DEFAULT_PAGE_LIMIT, cursor: cursor ?? undefined };
    const page = await listRuleRevisions(this.#deps, context, asked);
    return page === null ? null : shownPage(page);
  }

  /** For the vault's disposals: in no API schema, and closed to every key by its scope. */
  @Directive('@inaccessible')
  @Query(() => [String], { description: 'Those of these contents that a revision of a rule stands on.' })
  async ruleArtifacts(
    @Ctx() context: RequestContext,
    @Arg('sha256s', () => [String], { description: 'The contents.' }) sha256s: string[],
  ): Promise<readonly string[]> {
    return this.#deps.rules(authorise(context, INTERNAL_SCOPE)).artifacts(sha256s);
  }

  @Query(() => Rule, { nullable: true, description: 'One revision of a rule.' })
  async ruleRevision(
    @Arg('rule_id', () => String, RULE_ID) ruleId: string,
    @Arg('revision', () => Int, { description: 'Its number.' }) revision: number,
    @Ctx() context: RequestContext,
  ): Promise<Rule | null> {
    const found = await getRuleRevision(this.#deps, context, { ruleId, revision });
    return found === null ? null : shown(found);
  }
}
