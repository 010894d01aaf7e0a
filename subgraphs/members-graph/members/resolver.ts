import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { MemberDirectory, MemberIdentity } from '../../../shared/contracts/members.js';
import { BatchedEdges } from '../../../shared/graph/edges/batched-edges.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { type ChangeMemberDeps, createMember, updateMember } from './change-member.js';
import { type DemographicsPatch, MEMBER_MACHINE, type MemberStatus } from './domain/member.js';
import type { MergeLinks } from './domain/merges.js';
import type { IdentityDeps } from './identity.js';
import { mergeMembers, unmergeMembers } from './merge-members.js';
import type { StoredMember } from './ports.js';
import {
  getMember,
  getMembers,
  type HistoryDeps,
  type LinkedMember,
  listChanges,
  listMembers,
} from './read-members.js';
import {
  Member,
  MemberFilter,
  MemberHistoryArgs,
  MemberInput,
  type MemberLink,
  type MemberMembers,
  MemberPage,
  MemberPatch,
  type MemberStep,
  MemberStepPage,
  MergeArgs,
} from './schema.js';

interface ShownRow extends Omit<StoredMember, 'merged_into'> {
  readonly merges: MergeLinks;
}

const shown = showing(Member, ({ member_id, own_status, name, addresses, merges }: ShownRow) => {
  const { suffix, ...names } = name;
  // The log of merges is current; the record follows it.
  const status: MemberStatus = merges.has(member_id) ? 'MERGED' : own_status;
  return {
    name: { ...names, given: [...names.given], ...(suffix === null ? {} : { suffix }) },
    addresses: addresses.map(({ lines = [], postalCode, ...each }) => ({
      ...each,
      lines: [...lines],
      ...(postalCode === undefined ? {} : { postal_code: postalCode }),
    })),
    status,
    allowed_actions: [...new Set(allowedActions(MEMBER_MACHINE, status).map(shownAction))],
    links: linksOf(merges, member_id),
  };
});

/** Formats a member as answers show it. */
export const shownMember = ({ member, links }: LinkedMember): Member => shown({ ...member, merges: links });

/** Callers know one action for active and inactive records. */
const shownAction = (action: string): string => action.replace(/-inactive$/, '');

function linksOf(links: MergeLinks, memberId: string): MemberLink[] {
  const link = (type: MemberLink['type'], member_id: string, since: Date): MemberLink => ({
    type,
    member_id,
    since: since.toISOString(),
  });
  const into = links.get(memberId);
  const sources = [...links].filter(([, { target_id }]) => target_id === memberId);
  return [
    ...(into === undefined ? [] : [link('REPLACED_BY', into.target_id, into.since)]),
    ...sources.map(([source, { since }]) => link('REPLACES', source, since)),
  ];
}

/** Converts the person of a request to its stored form; absent members stay absent. */
export function givenPerson(input: Partial<MemberMembers>): DemographicsPatch {
  const { identifiers, name, addresses, former_families, phones, emails } = input;
  const { birth_date, multiple_birth, sex, program, jurisdiction } = input;
  const plain = { former_families, phones, emails, birth_date, multiple_birth, sex, program, jurisdiction };
  return {
    ...Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)),
    ...(identifiers ? { identifiers: identifiers.map(({ system, value }) => ({ system, value })) } : {}),
    ...(name ? { name: { family: name.family ?? null, given: name.given ?? [], suffix: name.suffix ?? null } } : {}),
    ...(addresses
      ? { addresses: addresses.map(({ postal_code, ...each }) => withoutNulls({ ...each, postalCode: postal_code })) }
      : {}),
  };
}

const MEMBER_ARGUMENT = { description: 'Identifier of the member.' };

@Resolver()
export class MemberResolver {
  readonly #deps: ChangeMemberDeps & HistoryDeps;

  constructor(deps: ChangeMemberDeps & HistoryDeps) {
    this.#deps = deps;
  }

  @Query(() => MemberPage, { description: 'Lists the members of the directory.' })
  async members(@Args(() => MemberFilter) filter: MemberFilter, @Ctx() context: RequestContext): Promise<Page<Member>> {
    return mapPage(await listMembers(this.#deps, context, listQueryOf(filter)), shownMember);
  }

  @Query(() => Member, { nullable: true, description: 'Returns a member of the directory.' })
  async member(
    @Arg('member_id', () => String, MEMBER_ARGUMENT) memberId: string,
    @Ctx() context: RequestContext,
  ): Promise<Member | null> {
    const found = await getMember(this.#deps, context, memberId);
    return found && shownMember(found);
  }

  @Query(() => MemberStepPage, { nullable: true, description: 'Lists the changes of a member.' })
  async memberHistory(
    @Args(() => MemberHistoryArgs) { member_id, ...args }: MemberHistoryArgs,
    @Ctx() context: RequestContext,
  ): Promise<Page<MemberStep> | null> {
    const page = await listChanges(this.#deps, context, member_id, listQueryOf(args));
    return (
      page &&
      mapPage(page, ({ member_id: _, work_id: __, at, action, before, ...step }) => ({
        ...step,
        action: shownAction(action),
        before: { ...before },
        at: isoTime(at.getTime()),
      }))
    );
  }

  @Mutation(() => Member, { description: 'Adds a member to the directory.' })
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

  @Mutation(() => Member, { description: 'Merges a record into another record of the same person.' })
  async mergeMembers(@Args(() => MergeArgs) args: MergeArgs, @Ctx() context: RequestContext): Promise<Member> {
    return shownMember(await mergeMembers(this.#deps, context, mergeInput(args)));
  }

  @Mutation(() => Member, { description: 'Reverts a merge of two records.' })
  async unmergeMembers(@Args(() => MergeArgs) args: MergeArgs, @Ctx() context: RequestContext): Promise<Member> {
    return shownMember(await unmergeMembers(this.#deps, context, mergeInput(args)));
  }
}

const mergeInput = ({ member_id, source_member_id, reason }: MergeArgs) => ({
  memberId: member_id,
  sourceId: source_member_id,
  reason: reason ?? null,
});

/** Serves other subgraphs: outside the API schema, and forbidden to every key by its scope. */
@Resolver()
export class IdentityResolver {
  readonly #directory: MemberDirectory;

  constructor(directory: MemberDirectory) {
    this.#directory = directory;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { nullable: true, description: 'Returns every id of a person (MemberIdentity).' })
  async memberIdentity(
    @Arg('member_id', () => String, { description: 'Any id of the person.' }) memberId: string,
    @Ctx() context: RequestContext,
  ): Promise<MemberIdentity | null> {
    return this.#directory.identityOf(authorise(context, INTERNAL_SCOPE), memberId);
  }
}

/**
 * Resolves references of other subgraphs to members (`@key(fields: "member_id")`), those of one answer together: null for an
 * unknown member and for another tenant's. Requires the same scope as the root fields.
 */
export function memberReferences(deps: IdentityDeps) {
  const batch = new BatchedEdges<string, Member | null>(async (context, _, memberIds) => {
    const found = await getMembers(deps, context, memberIds);
    return memberIds.map((id) => {
      const member = found.get(id);
      return member === undefined ? null : shownMember(member);
    });
  });
  return ({ member_id }: Readonly<Record<string, unknown>>, context: RequestContext): Promise<Member | null> =>
    batch.load(context, '', String(member_id));
}
