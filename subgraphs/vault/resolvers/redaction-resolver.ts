import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../../shared/pagination/cursor.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { REDACTION_MACHINE, type RedactedPage } from '../domain/redaction.js';
import {
  type RedactedPageShape,
  Redaction,
  RedactionDraft,
  RedactionFilter,
  RedactionPage,
  RedactionPatch,
} from '../schema/redaction.js';
import { type ApplyDeps, applyRedaction } from '../service/apply-redaction.js';
import {
  discardRedaction,
  draftRedaction,
  type RedactionMembers,
  updateRedaction,
} from '../service/change-redaction.js';
import type { StoredRedaction } from '../service/ports/redaction-store.js';
import { getRedaction, listRedactions, showsTerms } from '../service/read-redactions.js';

const REDACTION_ID = { description: 'The redaction.' };
const instant = (text: string | null | undefined): number | undefined => (text == null ? undefined : instantOf(text));
const timeOf = (at: Date | null): string | null => (at === null ? null : isoTime(at.getTime()));

/** As read from GraphQL, an absent member may be null. */
const pagesOf = (pages: readonly (RedactedPage | RedactedPageShape)[]): (RedactedPage & RedactedPageShape)[] =>
  pages.map(({ page, regions }) => ({
    page,
    ...(regions == null ? {} : { regions: regions.map((at) => ({ ...at })) }),
  }));

function shown(context: RequestContext, redaction: StoredRedaction): Redaction {
  const { terms, history, ordinal: _, original_sha256, ...rest } = redaction;
  return {
    ...rest,
    pointers: [...rest.pointers],
    pages: pagesOf(rest.pages),
    ...(showsTerms(context, redaction) ? { terms: [...terms] } : {}),
    ...(original_sha256 !== null && context.principal.scopes.has('documents:unredacted') ? { original_sha256 } : {}),
    allowed_actions: allowedActions(REDACTION_MACHINE, rest.status),
    applied_at: timeOf(rest.applied_at),
    created_at: isoTime(rest.created_at.getTime()),
    updated_at: isoTime(rest.updated_at.getTime()),
    history: history.map(({ work_id: _work, at, ...step }) => ({ ...step, at: isoTime(at.getTime()) })),
  };
}

const membersOf = ({ pointers, terms, pages, reason, basis }: Omit<RedactionPatch, 'revision'>): RedactionMembers => ({
  ...(pointers == null ? {} : { pointers }),
  ...(terms == null ? {} : { terms }),
  ...(pages == null ? {} : { pages: pagesOf(pages) }),
  ...(reason == null ? {} : { reason }),
  ...(basis == null ? {} : { basis }),
});

@Resolver()
export class RedactionResolver {
  readonly #deps: ApplyDeps;

  constructor(deps: ApplyDeps) {
    this.#deps = deps;
  }

  @Query(() => RedactionPage, { description: 'Redactions of the tenant.' })
  async redactions(
    @Args(() => RedactionFilter) filter: RedactionFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<Redaction>> {
    const page = await listRedactions(this.#deps, context, {
      limit: filter.limit ?? DEFAULT_PAGE_LIMIT,
      order: filter.order ?? 'desc',
      cursor: filter.cursor ?? undefined,
      fromMs: instant(filter.from),
      toMs: instant(filter.to),
      status: filter.status ?? undefined,
      subject_kind: filter.subject_kind ?? undefined,
      subject_id: filter.subject_id ?? undefined,
    });
    return { items: page.items.map((item) => shown(context, item)), next_cursor: page.next_cursor };
  }

  @Query(() => Redaction, { nullable: true, description: 'A redaction.' })
  async redaction(
    @Arg('redaction_id', () => String, REDACTION_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Redaction | null> {
    const found = await getRedaction(this.#deps, context, id);
    return found === null ? null : shown(context, found);
  }

  @Mutation(() => Redaction, { description: 'Drafts a redaction; hides nothing yet.' })
  async draftRedaction(
    @Arg('input', () => RedactionDraft) { subject, reason, basis, ...input }: RedactionDraft,
    @Ctx() context: RequestContext,
  ): Promise<Redaction> {
    const target = { pointers: [], terms: [], pages: [], ...membersOf(input) };
    const members = { ...target, subject: { kind: subject.kind, id: subject.id }, reason, basis };
    return shown(context, await draftRedaction(this.#deps, context, members));
  }

  @Mutation(() => Redaction, { description: 'Changes a draft.' })
  async updateRedaction(
    @Arg('redaction_id', () => String, REDACTION_ID) redactionId: string,
    @Arg('input', () => RedactionPatch) { revision, ...members }: RedactionPatch,
    @Ctx() context: RequestContext,
  ): Promise<Redaction> {
    const change = { redactionId, members: membersOf(members), revision: revision ?? undefined };
    return shown(context, await updateRedaction(this.#deps, context, change));
  }

  @Mutation(() => Redaction, { description: 'Gives a draft up; it stays as a record.' })
  async discardRedaction(
    @Arg('redaction_id', () => String, REDACTION_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Redaction> {
    return shown(context, await discardRedaction(this.#deps, context, id));
  }

  @Mutation(() => Redaction, { description: 'Makes the rendition and gives it to readers from now on; final.' })
  async applyRedaction(
    @Arg('redaction_id', () => String, REDACTION_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Redaction> {
    return shown(context, await applyRedaction(this.#deps, context, id));
  }
}
