import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../../shared/pagination/cursor.js';
import { type DataDisclosure, DataDisclosurePage, DataRight, DataRightPage } from '../schema/data-right.js';
import { DataRightFilter, DataRightInput, DisclosureArgs } from '../schema/data-right-input.js';
import type { DataRightDeps } from '../service/data-rights/data-right-deps.js';
import { listDisclosures } from '../service/data-rights/list-disclosures.js';
import { getDataRight, listDataRights, membersUnderRequest } from '../service/data-rights/read-data-rights.js';
import { receiveDataRight } from '../service/data-rights/receive-data-right.js';
import { windowed } from './list-window.js';
import { shownDataRight, shownDisclosure } from './shown-data-right.js';

/** What members ask about their data; the steps of a request are next door. */
@Resolver()
export class DataRightResolver {
  readonly #deps: DataRightDeps;

  constructor(deps: DataRightDeps) {
    this.#deps = deps;
  }

  @Query(() => DataRightPage, { description: 'What members of the tenant ask about their data.' })
  async dataRights(
    @Args(() => DataRightFilter) filter: DataRightFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<DataRight>> {
    const page = await listDataRights(this.#deps, context, windowed(filter));
    const nowMs = this.#deps.clock.nowMs();
    return { items: page.items.map((item) => shownDataRight(item, nowMs)), next_cursor: page.next_cursor };
  }

  @Query(() => DataRight, { nullable: true, description: 'One request about a member’s data.' })
  async dataRight(
    @Arg('data_right_id', () => String, { description: 'The request.' }) id: string,
    @Ctx() context: RequestContext,
  ): Promise<DataRight | null> {
    const found = await getDataRight(this.#deps, context, id);
    return found === null ? null : shownDataRight(found, this.#deps.clock.nowMs());
  }

  @Query(() => DataDisclosurePage, { nullable: true, description: 'Who was given what of a member.' })
  async dataRightDisclosures(
    @Args(() => DisclosureArgs) { data_right_id: id, limit, cursor }: DisclosureArgs,
    @Ctx() context: RequestContext,
  ): Promise<Page<DataDisclosure> | null> {
    const asked = { id, limit: limit ?? DEFAULT_PAGE_LIMIT, cursor: cursor ?? undefined };
    const page = await listDisclosures(this.#deps, context, asked);
    return page === null ? null : { items: page.items.map(shownDisclosure), next_cursor: page.next_cursor };
  }

  @Directive('@inaccessible')
  @Query(() => [String], { description: 'Members of whom nothing is deleted for now.' })
  async membersUnderRequest(@Ctx() context: RequestContext): Promise<readonly string[]> {
    return membersUnderRequest(this.#deps, authorise(context, INTERNAL_SCOPE));
  }

  @Mutation(() => DataRight, { description: 'Takes in what a member asks about their data.' })
  async receiveDataRight(
    @Arg('input', () => DataRightInput) { member_id, right, requester, ...rest }: DataRightInput,
    @Ctx() context: RequestContext,
  ): Promise<DataRight> {
    const asking =
      requester == null ? {} : { requester: { ...withoutNulls(requester), relationship: requester.relationship } };
    const given = { ...withoutNulls(rest), ...asking, member_id, right };
    return shownDataRight(await receiveDataRight(this.#deps, context, given), this.#deps.clock.nowMs());
  }
}
