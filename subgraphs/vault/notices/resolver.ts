import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { SharedNotice } from '../../../shared/contracts/holds.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { NOTICE_MACHINE } from './domain.js';
import { acknowledge, giveNotice, listNotices, type NoticeDeps, ownNotices, remind, withdraw } from './give-notice.js';
import type { StoredNotice } from './ports.js';
import {
  daysOf,
  HoldNotice,
  HoldNoticeAcknowledgement,
  HoldNoticeFilter,
  HoldNoticeInput,
  HoldNoticeLinkInput,
  HoldNoticePage,
  SharedHoldNotice,
} from './schema.js';
import { acknowledgeByLink, type OpenNoticeDeps, openNotice, shareNotice } from './share-notice.js';

/** A notice at one moment: it becomes overdue without a step. */
interface NoticeNow extends StoredNotice {
  readonly nowMs: number;
}

const shown = showing(HoldNotice, ({ status, due_at, nowMs }: NoticeNow) => ({
  allowed_actions: allowedActions(NOTICE_MACHINE, status),
  overdue: status === 'PENDING' && nowMs >= due_at.getTime(),
}));

const HOLD_ID = { description: 'The hold.' };
const NOTICE_ID = { description: 'The notice.' };

/** Notices to custodians of legal holds. */
@Resolver()
export class NoticeResolver {
  readonly #deps: NoticeDeps;

  constructor(deps: NoticeDeps) {
    this.#deps = deps;
  }

  @Mutation(() => HoldNotice, { description: 'Makes a notice to a custodian of a legal hold.' })
  async giveHoldNotice(
    @Arg('hold_id', () => String, HOLD_ID) holdId: string,
    @Arg('input', () => HoldNoticeInput) input: HoldNoticeInput,
    @Ctx() context: RequestContext,
  ): Promise<HoldNotice> {
    const members = { ...HoldNoticeInput.complete(input), days: daysOf(input) };
    return this.#shown(await giveNotice(this.#deps, context, holdId, members));
  }

  @Query(() => HoldNoticePage, { nullable: true, description: 'Lists the notices of a legal hold.' })
  async holdNotices(
    @Arg('hold_id', () => String, HOLD_ID) holdId: string,
    @Args(() => HoldNoticeFilter) filter: HoldNoticeFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<HoldNotice> | null> {
    const page = await listNotices(this.#deps, context, holdId, listQueryOf(filter));
    return page && mapPage(page, (notice) => this.#shown(notice));
  }

  @Query(() => HoldNoticePage, { description: 'Lists the notices to the actor of the caller.' })
  async ownHoldNotices(
    @Args(() => HoldNoticeFilter) filter: HoldNoticeFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<HoldNotice>> {
    const page = await ownNotices(this.#deps, context, listQueryOf(filter));
    return mapPage(page, (notice) => this.#shown(notice));
  }

  @Mutation(() => HoldNotice, { description: 'Notes that a custodian was reminded.' })
  async remindHoldNotice(
    @Arg('notice_id', () => String, NOTICE_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<HoldNotice> {
    return this.#shown(await remind(this.#deps, context, id));
  }

  @Mutation(() => HoldNotice, { description: 'Acknowledges a notice, or records the acknowledgement.' })
  async acknowledgeHoldNotice(
    @Arg('notice_id', () => String, NOTICE_ID) id: string,
    @Arg('input', () => HoldNoticeAcknowledgement) { how }: HoldNoticeAcknowledgement,
    @Ctx() context: RequestContext,
  ): Promise<HoldNotice> {
    return this.#shown(await acknowledge(this.#deps, context, id, how ?? null));
  }

  @Mutation(() => SharedHoldNotice, { description: 'Makes a link to a notice; the answer shows it once.' })
  async shareHoldNotice(
    @Arg('notice_id', () => String, NOTICE_ID) id: string,
    @Arg('input', () => HoldNoticeLinkInput) { expires_in_hours }: HoldNoticeLinkInput,
    @Ctx() context: RequestContext,
  ): Promise<SharedHoldNotice> {
    const { notice, token } = await shareNotice(this.#deps, context, id, expires_in_hours);
    return { ...this.#shown(notice), token, url: `/console/notice#${token}` };
  }

  @Mutation(() => HoldNotice, { description: 'Withdraws a pending notice; final.' })
  async withdrawHoldNotice(
    @Arg('notice_id', () => String, NOTICE_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<HoldNotice> {
    return this.#shown(await withdraw(this.#deps, context, id));
  }

  #shown(notice: StoredNotice): HoldNotice {
    return shown({ ...notice, nowMs: this.#deps.clock.nowMs() });
  }
}

/** Serves the facade: the public schema hides these fields, and their scope belongs to no API key. */
@Resolver()
export class SharedNoticeResolver {
  readonly #deps: OpenNoticeDeps;

  constructor(deps: OpenNoticeDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { nullable: true, description: 'Returns the notice behind a link (SharedNotice).' })
  async openSharedNotice(
    @Ctx() context: RequestContext,
    @Arg('token', () => String, { description: 'The token.' }) token: string,
  ): Promise<SharedNotice | null> {
    requireScope(context, INTERNAL_SCOPE);
    return openNotice(this.#deps, token);
  }

  @Directive('@inaccessible')
  @Mutation(() => JsonScalar, { nullable: true, description: 'Acknowledges the notice behind a link (SharedNotice).' })
  async acknowledgeSharedNotice(
    @Ctx() context: RequestContext,
    @Arg('token', () => String, { description: 'The token.' }) token: string,
    @Arg('name', () => String, { description: 'Name that the custodian has typed.' }) name: string,
    @Arg('request_id', () => String, { description: 'The request.' }) requestId: string,
  ): Promise<SharedNotice | null> {
    requireScope(context, INTERNAL_SCOPE);
    return acknowledgeByLink(this.#deps, token, { name, requestId });
  }
}
