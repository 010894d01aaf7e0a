import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { HoldSubject, HoldSummary } from '../../../shared/contracts/holds.js';
import type { RecordTies } from '../../../shared/contracts/record-ties.js';
import { referencesTo } from '../../../shared/graph/edges/references.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { HOLD_MACHINE } from './domain/states.js';
import { type HoldDeps, placeHold, releaseHold, updateHold } from './place-hold.js';
import type { StoredHold, Tombstone } from './ports.js';
import {
  type CountedHold,
  counted,
  getHold,
  holdSummaries,
  holdsCovering,
  holdsOfMatter,
  holdTies,
  listHolds,
  listTombstones,
  namedHolds,
} from './read-holds.js';
import {
  HoldTombstone,
  HoldTombstonePage,
  LegalHold,
  LegalHoldFilter,
  LegalHoldInput,
  LegalHoldPage,
  LegalHoldPatch,
  LegalHoldReleaseInput,
  TombstoneFilter,
} from './schema.js';

const shown = showing(LegalHold, ({ status, listing, listed }: CountedHold) => ({
  allowed_actions: allowedActions(HOLD_MACHINE, status),
  counts: { events: listed.events, documents: listed.documents, refused_deletions: listed.refused },
  listed_at: listing.current_at === null ? null : isoTime(listing.current_at.getTime()),
}));

/** Resolves references to holds under the scope of `legalHold`. */
export const holdReferences = (deps: HoldDeps) =>
  referencesTo('hold_id', 'hold', async (context, ids) => (await namedHolds(deps, context, ids)).map(shown));

const shownTombstone = showing(HoldTombstone, ({ refused }: Tombstone) => ({ refused_deletions: refused }));

const HOLD_ID = { description: 'The hold.' };

@Resolver()
export class HoldResolver {
  readonly #deps: HoldDeps;

  constructor(deps: HoldDeps) {
    this.#deps = deps;
  }

  @Query(() => LegalHoldPage, { description: 'Lists the legal holds of the tenant.' })
  async legalHolds(
    @Args(() => LegalHoldFilter) filter: LegalHoldFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<LegalHold>> {
    return mapPage(await listHolds(this.#deps, context, listQueryOf(filter)), shown);
  }

  @Query(() => LegalHold, { nullable: true, description: 'Returns a legal hold.' })
  async legalHold(
    @Arg('hold_id', () => String, HOLD_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<LegalHold | null> {
    const found = await getHold(this.#deps, context, id);
    return found && shown(found);
  }

  @Query(() => HoldTombstonePage, {
    nullable: true,
    description: 'Lists the records of a hold, as far as its listing has come.',
  })
  async holdTombstones(
    @Arg('hold_id', () => String, HOLD_ID) id: string,
    @Args(() => TombstoneFilter) filter: TombstoneFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<HoldTombstone> | null> {
    const { where, ...window } = listQueryOf(filter);
    const page = await listTombstones(this.#deps, context, id, { ...window, ...where });
    return page && mapPage(page, shownTombstone);
  }

  @Mutation(() => LegalHold, { description: 'Places a legal hold.' })
  async placeLegalHold(
    @Arg('input', () => LegalHoldInput) input: LegalHoldInput,
    @Ctx() context: RequestContext,
  ): Promise<LegalHold> {
    return this.#shown(
      await placeHold(this.#deps, context, LegalHoldInput.complete(input), input.allow_unknown === true),
    );
  }

  @Mutation(() => LegalHold, { description: 'Changes the texts of an active hold, or widens it.' })
  async updateLegalHold(
    @Arg('hold_id', () => String, HOLD_ID) id: string,
    @Arg('input', () => LegalHoldPatch) input: LegalHoldPatch,
    @Ctx() context: RequestContext,
  ): Promise<LegalHold> {
    const { matter_id, revision, allow_unknown } = input;
    const members = { ...LegalHoldPatch.given(input), ...(matter_id === undefined ? {} : { matter_id }) };
    return this.#shown(
      await updateHold(this.#deps, context, id, { members, revision, allowUnknown: allow_unknown === true }),
    );
  }

  @Mutation(() => LegalHold, { description: 'Releases a hold under a documented authority; final.' })
  async releaseLegalHold(
    @Arg('hold_id', () => String, HOLD_ID) id: string,
    @Arg('input', () => LegalHoldReleaseInput) input: LegalHoldReleaseInput,
    @Ctx() context: RequestContext,
  ): Promise<LegalHold> {
    return this.#shown(await releaseHold(this.#deps, context, id, input));
  }

  async #shown(hold: StoredHold): Promise<LegalHold> {
    return shown(await counted(this.#deps, hold));
  }
}

/** Serves other subgraphs: the public schema hides it, and its scope belongs to no API key. */
@Resolver()
export class HoldPortResolver {
  readonly #deps: Pick<HoldDeps, 'holds' | 'gate'>;

  constructor(deps: Pick<HoldDeps, 'holds' | 'gate'>) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Returns the holds over subjects: pairs of id and hold ids.' })
  async holdsCovering(
    @Ctx() context: RequestContext,
    @Arg('subjects', () => JsonScalar, { description: 'A list of HoldSubject.' }) subjects: readonly HoldSubject[],
  ): Promise<readonly (readonly [string, readonly string[]])[]> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    return holdsCovering(this.#deps, tenantId, subjects);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Returns holds by id (a list of HoldSummary).' })
  async holdSummaries(
    @Ctx() context: RequestContext,
    @Arg('hold_ids', () => [String], { description: 'The holds.' }) holdIds: string[],
  ): Promise<readonly HoldSummary[]> {
    return holdSummaries(this.#deps, authorise(context, INTERNAL_SCOPE), holdIds);
  }

  @Directive('@inaccessible')
  @Query(() => [String], { description: 'Returns the active holds of a legal matter.' })
  async holdsOfMatter(
    @Ctx() context: RequestContext,
    @Arg('matter_id', () => String, { description: 'The matter.' }) matterId: string,
  ): Promise<readonly string[]> {
    return holdsOfMatter(this.#deps, authorise(context, INTERNAL_SCOPE), matterId);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Returns the records that holds refer to (a list of RecordTies).' })
  async holdTies(
    @Ctx() context: RequestContext,
    @Arg('ids', () => [String], { description: 'The holds.' }) ids: string[],
  ): Promise<readonly RecordTies[]> {
    return holdTies(this.#deps.holds.forTenant(authorise(context, INTERNAL_SCOPE)), ids);
  }
}
