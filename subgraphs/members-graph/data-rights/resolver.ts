import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { DEFAULT_PAGE_LIMIT, mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { isOverdue, machineOf } from './domain.js';
import { fulfilDataRight } from './fulfil-data-right.js';
import type { Fulfilment, StoredDataRight } from './ports.js';
import {
  type Disclosure,
  getDataRight,
  listDataRights,
  listDisclosures,
  membersUnderRequest,
} from './read-data-rights.js';
import { receiveDataRight, startDataRight } from './receive-data-right.js';
import {
  type DataDisclosure,
  DataDisclosurePage,
  DataRight,
  DataRightDenial,
  DataRightDisagreement,
  DataRightExtension,
  DataRightFilter,
  type DataRightFulfilment,
  DataRightFulfilmentInput,
  DataRightInput,
  DataRightPage,
  DataRightStart,
  DataRightVerification,
  DisclosureArgs,
} from './schema/index.js';
import { type DataRightDeps, denyDataRight, disagreeDataRight, extendDataRight, verifyDataRight } from './steps.js';

const ID = { description: 'Identifier of the request.' };

/** Requests of members about their data. */
@Resolver()
export class DataRightResolver {
  readonly #deps: DataRightDeps;

  constructor(deps: DataRightDeps) {
    this.#deps = deps;
  }

  @Query(() => DataRightPage, { description: 'Lists the requests of members about their data.' })
  async dataRights(
    @Args(() => DataRightFilter) filter: DataRightFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<DataRight>> {
    const page = await listDataRights(this.#deps, context, listQueryOf(filter));
    return mapPage(page, (item) => this.#shown(item));
  }

  @Query(() => DataRight, { nullable: true, description: 'Returns a request about a member’s data.' })
  async dataRight(
    @Arg('data_right_id', () => String, ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<DataRight | null> {
    const found = await getDataRight(this.#deps, context, id);
    return found && this.#shown(found);
  }

  @Query(() => DataDisclosurePage, { nullable: true, description: 'Lists the disclosures of an accounting.' })
  async dataRightDisclosures(
    @Args(() => DisclosureArgs) { data_right_id: id, limit, cursor }: DisclosureArgs,
    @Ctx() context: RequestContext,
  ): Promise<Page<DataDisclosure> | null> {
    const request = { id, limit: limit ?? DEFAULT_PAGE_LIMIT, cursor: cursor ?? undefined };
    const page = await listDisclosures(this.#deps, context, request);
    return page && mapPage(page, shownDisclosure);
  }

  @Directive('@inaccessible')
  @Query(() => [String], { description: 'Returns the members that deletions must skip.' })
  async membersUnderRequest(@Ctx() context: RequestContext): Promise<readonly string[]> {
    return membersUnderRequest(this.#deps, authorise(context, INTERNAL_SCOPE));
  }

  @Mutation(() => DataRight, { description: 'Records a request of a member about their data.' })
  async receiveDataRight(
    @Arg('input', () => DataRightInput) { member_id, right, requester, ...rest }: DataRightInput,
    @Ctx() context: RequestContext,
  ): Promise<DataRight> {
    const by =
      requester == null ? {} : { requester: { ...withoutNulls(requester), relationship: requester.relationship } };
    const request = { ...withoutNulls(rest), ...by, member_id, right };
    return this.#shown(await receiveDataRight(this.#deps, context, request));
  }

  @Mutation(() => DataRight, { description: 'Records how the requester was verified.' })
  async verifyDataRight(
    @Arg('data_right_id', () => String, ID) id: string,
    @Arg('input', () => DataRightVerification) { how, verified_by, revision }: DataRightVerification,
    @Ctx() context: RequestContext,
  ): Promise<DataRight> {
    const request = { id, how, verified_by: verified_by ?? undefined, revision: revision ?? undefined };
    return this.#shown(await verifyDataRight(this.#deps, context, request));
  }

  @Mutation(() => DataRight, { description: 'Starts or continues the work of a request.' })
  async startDataRight(
    @Arg('data_right_id', () => String, ID) id: string,
    @Arg('input', () => DataRightStart) { revision, ...restriction }: DataRightStart,
    @Ctx() context: RequestContext,
  ): Promise<DataRight> {
    const request = { id, revision: revision ?? undefined, restriction: withoutNulls(restriction) };
    return this.#shown(await startDataRight(this.#deps, context, request));
  }

  @Mutation(() => DataRight, { description: 'Extends the deadline of a request, once.' })
  async extendDataRight(
    @Arg('data_right_id', () => String, ID) id: string,
    @Arg('input', () => DataRightExtension) { reason, to, revision }: DataRightExtension,
    @Ctx() context: RequestContext,
  ): Promise<DataRight> {
    const request = { id, reason, to: to ?? undefined, revision: revision ?? undefined };
    return this.#shown(await extendDataRight(this.#deps, context, request));
  }

  @Mutation(() => DataRight, { description: 'Fulfils a request.' })
  async fulfilDataRight(
    @Arg('data_right_id', () => String, ID) id: string,
    @Arg('input', () => DataRightFulfilmentInput) { revision, ...amendment }: DataRightFulfilmentInput,
    @Ctx() context: RequestContext,
  ): Promise<DataRight> {
    const request = { id, revision: revision ?? undefined, amendment: withoutNulls(amendment) };
    return this.#shown(await fulfilDataRight(this.#deps, context, request));
  }

  @Mutation(() => DataRight, { description: 'Denies a request.' })
  async denyDataRight(
    @Arg('data_right_id', () => String, ID) id: string,
    @Arg('input', () => DataRightDenial) { ground, revision }: DataRightDenial,
    @Ctx() context: RequestContext,
  ): Promise<DataRight> {
    const request = { id, ground, revision: revision ?? undefined };
    return this.#shown(await denyDataRight(this.#deps, context, request));
  }

  @Mutation(() => DataRight, { description: 'Records a member’s disagreement with a denied amendment.' })
  async disagreeDataRight(
    @Arg('data_right_id', () => String, ID) id: string,
    @Arg('input', () => DataRightDisagreement) input: DataRightDisagreement,
    @Ctx() context: RequestContext,
  ): Promise<DataRight> {
    const request = { id, eventId: input.statement_of_disagreement_event_id, revision: input.revision ?? undefined };
    return this.#shown(await disagreeDataRight(this.#deps, context, request));
  }

  #shown(stored: StoredDataRight): DataRight {
    return shownAt({ ...stored, nowMs: this.#deps.clock.nowMs() });
  }
}

const shownAt = showing(DataRight, (stored: StoredDataRight & { readonly nowMs: number }) => ({
  extended_to: stored.extended_to?.toISOString() ?? null,
  overdue: isOverdue(stored, stored.nowMs),
  fulfilment: stored.fulfilment && shownFulfilment(stored.fulfilment),
  allowed_actions: allowedActions(machineOf(stored.right), stored.status),
}));

/** Joins the members of all rights; the names of their fields differ. */
const shownFulfilment = ({ accounting, ...fulfilment }: Fulfilment): DataRightFulfilment => ({
  ...fulfilment.access,
  ...fulfilment.amendment,
  ...fulfilment.restriction,
  ...(accounting && shownAccounting(accounting)),
  ...fulfilment.erasure,
});

function shownAccounting({ from, to, answer }: NonNullable<Fulfilment['accounting']>): DataRightFulfilment {
  const period = { from: from.toISOString(), to: to.toISOString() };
  if (answer === null) return { period };
  const { count, sha256, last_seq } = answer;
  const place = last_seq === null ? {} : { last_custody_seq: last_seq };
  return { period, disclosure_count: count, disclosures_sha256: sha256, ...place };
}

function shownDisclosure(disclosure: Disclosure): DataDisclosure {
  const { custody_id, at, action, what, subject, subjects, subject_count, actor, seq, entry_hash } = disclosure;
  return {
    custody_id,
    at,
    recipient: disclosure.recipient ?? null,
    purpose: disclosure.purpose ?? null,
    action,
    what,
    subject,
    further_subjects: subject_count ?? subjects?.length ?? 0,
    by: actor.id,
    seq,
    entry_hash,
  };
}
