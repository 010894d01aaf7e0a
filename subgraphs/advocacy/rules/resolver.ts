import { Arg, Args, Ctx, Directive, Int, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { RecordTies } from '../../../shared/contracts/record-ties.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { DEFAULT_PAGE_LIMIT, mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { type PutRuleDeps, putRule } from './put-rule.js';
import { getRule, getRuleRevision, listRuleRevisions, listRules, ruleTies, type ShownRevision } from './read-rules.js';
import { Rule, RuleFilter, RuleInput, RulePage, RuleRevisionFilter } from './schema.js';

const iso = (at: Date): string => isoTime(at.getTime());

const shown = (revision: ShownRevision): Rule => ({
  ...revision,
  codes: [...revision.codes],
  effective_from: iso(revision.effective_from),
  effective_to: revision.effective_to === null ? null : iso(revision.effective_to),
  created_at: iso(revision.created_at),
});

const RULE_ID = { description: 'The rule.' };

@Resolver()
export class RuleResolver {
  readonly #deps: PutRuleDeps;

  constructor(deps: PutRuleDeps) {
    this.#deps = deps;
  }

  @Mutation(() => Rule, { description: 'Adds a rule, or the next revision of the rule of that key.' })
  async putRule(@Arg('input', () => RuleInput) input: RuleInput, @Ctx() context: RequestContext): Promise<Rule> {
    const { key, title, kind, effective_from, ...rest } = input;
    return shown(await putRule(this.#deps, context, { key, title, kind, effective_from, ...withoutNulls(rest) }));
  }

  @Query(() => RulePage, { description: "The tenant's own rules and the shared corpus." })
  async rules(@Args(() => RuleFilter) filter: RuleFilter, @Ctx() context: RequestContext): Promise<Page<Rule>> {
    const { where, ...window } = listQueryOf(filter);
    const { at, ...equal } = where;
    const atMs = at === undefined ? undefined : instantOf(at);
    const query = { ...window, where: equal, at: atMs === undefined ? undefined : new Date(atMs) };
    return mapPage(await listRules(this.#deps, context, query), shown);
  }

  @Query(() => Rule, { nullable: true, description: 'A rule in its newest revision.' })
  async rule(@Arg('rule_id', () => String, RULE_ID) id: string, @Ctx() context: RequestContext): Promise<Rule | null> {
    const found = await getRule(this.#deps, context, id);
    return found && shown(found);
  }

  @Query(() => RulePage, { nullable: true, description: 'All revisions of a rule, newest first.' })
  async ruleRevisions(
    @Args(() => RuleRevisionFilter) { rule_id: ruleId, limit, cursor }: RuleRevisionFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<Rule> | null> {
    const asked = { ruleId, limit: limit ?? DEFAULT_PAGE_LIMIT, cursor: cursor ?? undefined };
    const page = await listRuleRevisions(this.#deps, context, asked);
    return page && mapPage(page, shown);
  }

  /** For disposals of the vault. Not in the API schema; no API key has its scope. */
  @Directive('@inaccessible')
  @Query(() => [String], { description: 'The given hashes that a rule revision uses as its artifact.' })
  async ruleArtifacts(
    @Ctx() context: RequestContext,
    @Arg('sha256s', () => [String], { description: 'Hashes of contents.' }) sha256s: string[],
  ): Promise<readonly string[]> {
    return this.#deps.rules(authorise(context, INTERNAL_SCOPE)).artifacts(sha256s);
  }

  /** For the member graph. Not in the API schema; no API key has its scope. */
  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Rules with the codes they name (a list of RecordTies).' })
  async ruleTies(
    @Ctx() context: RequestContext,
    @Arg('ids', () => [String], { description: 'The rules.' }) ids: string[],
  ): Promise<readonly RecordTies[]> {
    return ruleTies(this.#deps.rules(authorise(context, INTERNAL_SCOPE)), ids);
  }

  @Query(() => Rule, { nullable: true, description: 'One revision of a rule.' })
  async ruleRevision(
    @Arg('rule_id', () => String, RULE_ID) ruleId: string,
    @Arg('revision', () => Int, { description: 'Its number.' }) revision: number,
    @Ctx() context: RequestContext,
  ): Promise<Rule | null> {
    const found = await getRuleRevision(this.#deps, context, { ruleId, revision });
    return found && shown(found);
  }
}
