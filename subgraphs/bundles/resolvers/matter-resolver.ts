import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../../shared/pagination/cursor.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { MATTER_MACHINE } from '../domain/legal-matter.js';
import {
  LegalMatter,
  LegalMatterFilter,
  LegalMatterInput,
  LegalMatterLinkArgs,
  LegalMatterPage,
  LegalMatterPatch,
} from '../schema/legal-matter.js';
import { closeMatter, createMatter, type MatterPatch, updateMatter } from '../service/change-matter.js';
import { linkMatter, unlinkMatter } from '../service/link-matter.js';
import type { StoredMatter } from '../service/ports/matter-store.js';
import { getMatter, listMatters } from '../service/read-matters.js';

type MatterResolverDeps = Parameters<typeof closeMatter>[0];

const iso = (at: Date): string => isoTime(at.getTime());

const shown = ({ created_at, updated_at, closed_at, history, ...rest }: StoredMatter): LegalMatter => ({
  ...rest,
  member_ids: [...rest.member_ids],
  hold_ids: [...rest.hold_ids],
  bundle_ids: [...rest.bundle_ids],
  exception_ids: [...rest.exception_ids],
  document_ids: [...rest.document_ids],
  allowed_actions: allowedActions(MATTER_MACHINE, rest.status),
  created_at: iso(created_at),
  updated_at: iso(updated_at),
  closed_at: closed_at === null ? null : iso(closed_at),
  history: history.map(({ work_id: _, at, ...step }) => ({ ...step, at: iso(at) })),
});

const MATTER_ID = { description: 'The legal matter.' };

@Resolver()
export class MatterResolver {
  readonly #deps: MatterResolverDeps;

  constructor(deps: MatterResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => LegalMatterPage, { description: 'Legal matters of the tenant.' })
  async legalMatters(
    @Args(() => LegalMatterFilter) filter: LegalMatterFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<LegalMatter>> {
    const { from, to, limit = DEFAULT_PAGE_LIMIT, order = 'desc', ...rest } = withoutNulls(filter);
    const fromMs = from === undefined ? undefined : instantOf(from);
    const toMs = to === undefined ? undefined : instantOf(to);
    const page = await listMatters(this.#deps, context, { ...rest, limit, order, fromMs, toMs });
    return { items: page.items.map(shown), next_cursor: page.next_cursor };
  }

  @Query(() => LegalMatter, { nullable: true, description: 'A legal matter.' })
  async legalMatter(
    @Arg('matter_id', () => String, MATTER_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<LegalMatter | null> {
    const found = await getMatter(this.#deps, context, id);
    return found === null ? null : shown(found);
  }

  @Mutation(() => LegalMatter, { description: 'Opens a legal matter.' })
  async createLegalMatter(
    @Arg('input', () => LegalMatterInput) input: LegalMatterInput,
    @Ctx() context: RequestContext,
  ): Promise<LegalMatter> {
    const { name, kind, ...rest } = input;
    return shown(await createMatter(this.#deps, context, { ...withoutNulls(rest), name, kind }));
  }

  @Mutation(() => LegalMatter, { description: 'Changes members of an open legal matter.' })
  async updateLegalMatter(
    @Arg('matter_id', () => String, MATTER_ID) matterId: string,
    @Arg('input', () => LegalMatterPatch) { revision, description, ...rest }: LegalMatterPatch,
    @Ctx() context: RequestContext,
  ): Promise<LegalMatter> {
    // Only the description may be taken away: null of the others counts as absent.
    const members: MatterPatch = { ...withoutNulls(rest), ...(description === undefined ? {} : { description }) };
    return shown(await updateMatter(this.#deps, context, { matterId, members, revision: revision ?? undefined }));
  }

  @Mutation(() => LegalMatter, { description: 'Puts something into an open legal matter.' })
  async linkLegalMatter(
    @Args(() => LegalMatterLinkArgs) { matter_id, kind, ref }: LegalMatterLinkArgs,
    @Ctx() context: RequestContext,
  ): Promise<LegalMatter> {
    return shown(await linkMatter(this.#deps, context, { matterId: matter_id, kind, ref }));
  }

  @Mutation(() => LegalMatter, { description: 'Takes something out of an open legal matter.' })
  async unlinkLegalMatter(
    @Args(() => LegalMatterLinkArgs) { matter_id, kind, ref }: LegalMatterLinkArgs,
    @Ctx() context: RequestContext,
  ): Promise<LegalMatter> {
    return shown(await unlinkMatter(this.#deps, context, { matterId: matter_id, kind, ref }));
  }

  @Mutation(() => LegalMatter, { description: 'Closes a legal matter whose holds are released; final.' })
  async closeLegalMatter(
    @Arg('matter_id', () => String, MATTER_ID) matterId: string,
    @Ctx() context: RequestContext,
  ): Promise<LegalMatter> {
    return shown(await closeMatter(this.#deps, context, matterId));
  }
}
