import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { Member, MemberFilter, MemberPage } from '../schema/member.js';
import { MemberHistoryArgs, type MemberStep, MemberStepPage } from '../schema/member-change.js';
import { MemberInput, MemberPatch, MergeArgs } from '../schema/member-input.js';
import { type ChangeMemberDeps, createMember, updateMember } from '../service/members/change-member.js';
import { mergeMembers, unmergeMembers } from '../service/members/merge-members.js';
import { getMember, type HistoryDeps, listChanges, listMembers } from '../service/members/read-members.js';
import { givenPerson } from './given-person.js';
import { shownMember } from './shown-member.js';

const MEMBER_ARGUMENT = { description: 'The member.' };

/** A list as it is asked for, in the words of the stores. */
function windowOf<T extends { from?: string; to?: string; limit?: number; order?: 'asc' | 'desc' }>(args: T) {
  const { from, to, limit = DEFAULT_PAGE_LIMIT, order = 'desc', ...rest } = args;
  const fromMs = from === undefined ? undefined : instantOf(from);
  const toMs = to === undefined ? undefined : instantOf(to);
  return { ...rest, limit, order, fromMs, toMs };
}

@Resolver()
export class MemberResolver {
  readonly #deps: ChangeMemberDeps & HistoryDeps;

  constructor(deps: ChangeMemberDeps & HistoryDeps) {
    this.#deps = deps;
  }

  @Query(() => MemberPage, { description: 'Members of the directory.' })
  async members(@Args(() => MemberFilter) filter: MemberFilter, @Ctx() context: RequestContext): Promise<Page<Member>> {
    const page = await listMembers(this.#deps, context, windowOf(withoutNulls(filter)));
    return { items: page.items.map(shownMember), next_cursor: page.next_cursor };
  }

  @Query(() => Member, { nullable: true, description: 'A member of the directory.' })
  async member(
    @Arg('member_id', () => String, MEMBER_ARGUMENT) memberId: string,
    @Ctx() context: RequestContext,
  ): Promise<Member | null> {
    const found = await getMember(this.#deps, context, memberId);
    return found === null ? null : shownMember(found);
  }

  @Query(() => MemberStepPage, { nullable: true, description: 'What became of a member of the directory.' })
  async memberHistory(
    @Args(() => MemberHistoryArgs) { member_id, ...args }: MemberHistoryArgs,
    @Ctx() context: RequestContext,
  ): Promise<Page<MemberStep> | null> {
    const page = await listChanges(this.#deps, context, member_id, windowOf(withoutNulls(args)));
    if (page === null) return null;
    const items = page.items.map(({ member_id: _, work_id: __, at, action, before, ...step }) => ({
      ...step,
      action: action.replace(/-inactive$/, ''),
      before: { ...before },
      at: isoTime(at.getTime()),
    }));
    return { items, next_cursor: page.next_cursor };
  }

  @Mutation(() => Member, { description: 'Puts a member into the directory.' })
  async createMember(
    @Arg('input', () => MemberInput) { member_id, ...input }: MemberInput,
    @Ctx() context: RequestContext,
  ): Promise<Member> {
    return shownMember(await createMember(this.#deps, context, { ...givenPerson(input), member_id }));
  }

  @Mutation(() => Member, { description: 'Changes a member of the directory.' })
  async updateMember(
    @Arg('member_id', () => String, MEMBER_ARGUMENT) memberId: string,
    @Arg('input', () => MemberPatch) { revision, status, ...input }: MemberPatch,
    @Ctx() context: RequestContext,
  ): Promise<Member> {
    const patch = { ...givenPerson(input), ...(status == null ? {} : { status }) };
    return shownMember(await updateMember(this.#deps, context, { memberId, patch, revision: revision ?? undefined }));
  }

  @Mutation(() => Member, { description: 'Lets one record stand for another of the same person.' })
  async mergeMembers(@Args(() => MergeArgs) args: MergeArgs, @Ctx() context: RequestContext): Promise<Member> {
    return shownMember(await mergeMembers(this.#deps, context, mergeInput(args)));
  }

  @Mutation(() => Member, { description: 'Takes a merge back: both records stand as before.' })
  async unmergeMembers(@Args(() => MergeArgs) args: MergeArgs, @Ctx() context: RequestContext): Promise<Member> {
    return shownMember(await unmergeMembers(this.#deps, context, mergeInput(args)));
  }
}

const mergeInput = ({ member_id, source_member_id, reason }: MergeArgs) => ({
  memberId: member_id,
  sourceId: source_member_id,
  reason: reason ?? null,
});
