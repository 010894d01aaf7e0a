import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { RecordTies } from '../../../shared/contracts/record-ties.js';
import { referencesTo } from '../../../shared/graph/edges/references.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { changeLink, closeMatter, createMatter, type LinkDeps, updateMatter } from './change-matter.js';
import { MATTER_MACHINE } from './domain.js';
import type { MatterStore, StoredMatter } from './ports.js';
import { getMatter, listMatters, matterTies, namedMatters } from './read-matters.js';
import {
  LegalMatter,
  LegalMatterFilter,
  LegalMatterInput,
  LegalMatterLinkArgs,
  LegalMatterPage,
  LegalMatterPatch,
} from './schema.js';

const shown = showing(LegalMatter, ({ status }: StoredMatter) => ({
  allowed_actions: allowedActions(MATTER_MACHINE, status),
}));

/** Resolves references to legal matters under the scope of `legalMatter`. */
export const matterReferences = (deps: { readonly matters: MatterStore }) =>
  referencesTo('matter_id', 'matter', async (context, ids) => (await namedMatters(deps, context, ids)).map(shown));

const MATTER_ID = { description: 'Identifier of the legal matter.' };

@Resolver()
export class MatterResolver {
  readonly #deps: LinkDeps;

  constructor(deps: LinkDeps) {
    this.#deps = deps;
  }

  @Query(() => LegalMatterPage, { description: 'Lists the legal matters of the tenant.' })
  async legalMatters(
    @Args(() => LegalMatterFilter) filter: LegalMatterFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<LegalMatter>> {
    const { where, ...window } = listQueryOf(filter);
    const { member_id, ...equal } = where;
    const query = { ...window, where: { ...equal, member_ids: member_id === undefined ? undefined : [member_id] } };
    return mapPage(await listMatters(this.#deps, context, query), shown);
  }

  @Query(() => LegalMatter, { nullable: true, description: 'Returns a legal matter.' })
  async legalMatter(
    @Arg('matter_id', () => String, MATTER_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<LegalMatter | null> {
    const found = await getMatter(this.#deps, context, id);
    return found && shown(found);
  }

  @Mutation(() => LegalMatter, { description: 'Creates a legal matter.' })
  async createLegalMatter(
    @Arg('input', () => LegalMatterInput) input: LegalMatterInput,
    @Ctx() context: RequestContext,
  ): Promise<LegalMatter> {
    return shown(await createMatter(this.#deps, context, LegalMatterInput.complete(input)));
  }

  @Mutation(() => LegalMatter, { description: 'Changes an open legal matter.' })
  async updateLegalMatter(
    @Arg('matter_id', () => String, MATTER_ID) matterId: string,
    @Arg('input', () => LegalMatterPatch) input: LegalMatterPatch,
    @Ctx() context: RequestContext,
  ): Promise<LegalMatter> {
    const change = { matterId, members: LegalMatterPatch.given(input), revision: input.revision };
    return shown(await updateMatter(this.#deps, context, change));
  }

  @Mutation(() => LegalMatter, { description: 'Links a record to an open legal matter.' })
  async linkLegalMatter(
    @Args(() => LegalMatterLinkArgs) { matter_id, kind, ref }: LegalMatterLinkArgs,
    @Ctx() context: RequestContext,
  ): Promise<LegalMatter> {
    return shown(await changeLink(this.#deps, context, 'link', { matterId: matter_id, kind, ref }));
  }

  @Mutation(() => LegalMatter, { description: 'Unlinks a record from an open legal matter.' })
  async unlinkLegalMatter(
    @Args(() => LegalMatterLinkArgs) { matter_id, kind, ref }: LegalMatterLinkArgs,
    @Ctx() context: RequestContext,
  ): Promise<LegalMatter> {
    return shown(await changeLink(this.#deps, context, 'unlink', { matterId: matter_id, kind, ref }));
  }

  @Mutation(() => LegalMatter, { description: 'Closes a legal matter without active holds; final.' })
  async closeLegalMatter(
    @Arg('matter_id', () => String, MATTER_ID) matterId: string,
    @Ctx() context: RequestContext,
  ): Promise<LegalMatter> {
    return shown(await closeMatter(this.#deps, context, matterId));
  }

  /** Serves the graph of records: the public schema hides it, and its scope belongs to no API key. */
  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Returns the records that legal matters refer to (a list of RecordTies).' })
  async matterTies(
    @Ctx() context: RequestContext,
    @Arg('ids', () => [String], { description: 'Identifiers of the legal matters.' }) ids: string[],
  ): Promise<readonly RecordTies[]> {
    return matterTies(this.#deps.matters(authorise(context, INTERNAL_SCOPE)), ids);
  }
}
