import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../../shared/pagination/cursor.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { withoutEmpty } from '../domain/hold-scope.js';
import { HOLD_MACHINE } from '../domain/hold-states.js';
import {
  HoldTombstone,
  HoldTombstonePage,
  LegalHold,
  LegalHoldFilter,
  LegalHoldInput,
  LegalHoldPage,
  LegalHoldPatch,
  LegalHoldReleaseInput,
  type LegalHoldScopeShape,
  TombstoneFilter,
} from '../schema/hold.js';
import { type HoldDeps, placeHold, releaseHold, updateHold } from '../service/place-hold.js';
import type { StoredHold, Tombstone } from '../service/ports/hold-store.js';
import { type CountedHold, getHold, listHolds, listTombstones, withCounts } from '../service/read-holds.js';

const iso = (at: Date): string => isoTime(at.getTime());

const scopeOf = (scope: LegalHoldScopeShape) => withoutEmpty({ ...scope });

function shown({ hold, counts }: CountedHold): LegalHold {
  const { settled: _, listing, release, created_at, updated_at, history, scope, ...rest } = hold;
  return {
    ...rest,
    scope: scope as LegalHoldScopeShape,
    allowed_actions: allowedActions(HOLD_MACHINE, rest.status),
    counts: { events: counts.events, documents: counts.documents, refused_deletions: counts.refused },
    listed_at: listing.current_at === null ? null : iso(listing.current_at),
    release: release === null ? null : { ...release, released_at: iso(release.released_at) },
    created_at: iso(created_at),
    updated_at: iso(updated_at),
    history: history.map(({ work_id: __, at, ...step }) => ({ ...step, at: iso(at) })),
  };
}

const shownTombstone = ({ held_at, refused, refused_at, ...rest }: Tombstone): HoldTombstone => ({
  ...rest,
  held_at: iso(held_at),
  refused_deletions: refused,
  refused_at: refused_at === null ? null : iso(refused_at),
});

/** Arguments of a list, already held to their contract; null counts as absent. */
const windowOf = ({ limit, order, cursor, from, to }: LegalHoldFilter | TombstoneFilter) => ({
  limit: limit ?? DEFAULT_PAGE_LIMIT,
  order: order ?? ('desc' as const),
  cursor: cursor ?? undefined,
  fromMs: from == null ? undefined : instantOf(from),
  toMs: to == null ? undefined : instantOf(to),
});

const HOLD_ID = { description: 'The hold.' };

@Resolver()
export class HoldResolver {
  readonly #deps: HoldDeps;

  constructor(deps: HoldDeps) {
    this.#deps = deps;
  }

  @Query(() => LegalHoldPage, { description: 'Legal holds of the tenant.' })
  async legalHolds(
    @Args(() => LegalHoldFilter) filter: LegalHoldFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<LegalHold>> {
    const page = await listHolds(this.#deps, context, {
      ...windowOf(filter),
      status: filter.status ?? undefined,
      matter_id: filter.matter_id ?? undefined,
      name: filter.name ?? undefined,
    });
    return { items: page.items.map(shown), next_cursor: page.next_cursor };
  }

  @Query(() => LegalHold, { nullable: true, description: 'A legal hold.' })
  async legalHold(
    @Arg('hold_id', () => String, HOLD_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<LegalHold | null> {
    const found = await getHold(this.#deps, context, id);
    return found === null ? null : shown(found);
  }

  @Query(() => HoldTombstonePage, {
    nullable: true,
    description: 'What a hold covers, as far as its listing has come.',
  })
  async holdTombstones(
    @Arg('hold_id', () => String, HOLD_ID) id: string,
    @Args(() => TombstoneFilter) filter: TombstoneFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<HoldTombstone> | null> {
    const query = { ...windowOf(filter), kind: filter.kind ?? undefined };
    const page = await listTombstones(this.#deps, context, id, query);
    return page && { items: page.items.map(shownTombstone), next_cursor: page.next_cursor };
  }

  @Mutation(() => LegalHold, { description: 'Places a legal hold.' })
  async placeLegalHold(
    @Arg('input', () => LegalHoldInput) input: LegalHoldInput,
    @Ctx() context: RequestContext,
  ): Promise<LegalHold> {
    const { name, reason, matter_id, authority, scope } = input;
    const placed = await placeHold(this.#deps, context, {
      name,
      reason,
      scope: scopeOf(scope),
      matter_id: matter_id ?? null,
      authority: authority ?? null,
    });
    return this.#counted(placed);
  }

  @Mutation(() => LegalHold, { description: 'Changes words of a hold in force, or widens it.' })
  async updateLegalHold(
    @Arg('hold_id', () => String, HOLD_ID) id: string,
    @Arg('input', () => LegalHoldPatch) input: LegalHoldPatch,
    @Ctx() context: RequestContext,
  ): Promise<LegalHold> {
    const { name, reason, matter_id, authority, scope, revision } = input;
    const changed = await updateHold(this.#deps, context, id, {
      ...(name == null ? {} : { name }),
      ...(reason == null ? {} : { reason }),
      ...(matter_id == null ? {} : { matter_id }),
      ...(authority === undefined ? {} : { authority }),
      ...(scope == null ? {} : { scope: scopeOf(scope) }),
      ...(revision == null ? {} : { revision }),
    });
    return this.#counted(changed);
  }

  @Mutation(() => LegalHold, { description: 'Releases a hold under a documented authority; final.' })
  async releaseLegalHold(
    @Arg('hold_id', () => String, HOLD_ID) id: string,
    @Arg('input', () => LegalHoldReleaseInput) { authority, reason, released_by }: LegalHoldReleaseInput,
    @Ctx() context: RequestContext,
  ): Promise<LegalHold> {
    const { kind, reference, document_id } = authority;
    const given = { kind, reference, ...(document_id == null ? {} : { document_id }) };
    return this.#counted(await releaseHold(this.#deps, context, id, { authority: given, reason, released_by }));
  }

  async #counted(hold: StoredHold): Promise<LegalHold> {
    const [counted] = await withCounts(this.#deps, hold.tenant_id, [hold]);
    return shown(counted ?? { hold, counts: { events: 0, documents: 0, refused: 0 } });
  }
}
